import { type Actor, authorized, type LocatedEvaluation, type PolicyEvaluationId } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** GET /policy-evaluations/:id. */
export class ShowPolicyEvaluation {
  constructor(private readonly unitOfWork: UnitOfWork<'taskStages'>) {}

  async execute(actor: Actor, id: PolicyEvaluationId): Promise<LocatedEvaluation> {
    const seen = await this.unitOfWork.read((tx) => tx.taskStages.findEvaluationFor(actor, id));
    return authorized(seen, 'policy-outcomes/read');
  }
}
