import { type Actor, authorized, type PolicySetOutcome, type PolicySetOutcomeId } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** GET /policy-set-outcomes/:id. */
export class ShowPolicySetOutcome {
  constructor(private readonly unitOfWork: UnitOfWork<'taskStages'>) {}

  async execute(actor: Actor, id: PolicySetOutcomeId): Promise<PolicySetOutcome> {
    const seen = await this.unitOfWork.read((tx) => tx.taskStages.findOutcomeFor(actor, id));
    return authorized(seen, 'policy-outcomes/read');
  }
}
