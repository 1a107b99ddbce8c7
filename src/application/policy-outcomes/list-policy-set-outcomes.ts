import {
  type Actor,
  authorized,
  type OutcomeFilter,
  type PolicyEvaluationId,
  type PolicySetOutcome,
} from '../../domain/index.js';
import type { Page, PageRequest } from '../ports/repositories/page.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** GET /policy-evaluations/:id/policy-set-outcomes, ordered by set name. */
export class ListPolicySetOutcomes {
  constructor(private readonly unitOfWork: UnitOfWork<'taskStages'>) {}

  execute(
    actor: Actor,
    query: {
      readonly id: PolicyEvaluationId;
      readonly filters: readonly OutcomeFilter[];
      readonly page: PageRequest;
    },
  ): Promise<Page<PolicySetOutcome>> {
    return this.unitOfWork.read(async (tx) => {
      authorized(await tx.taskStages.findEvaluationFor(actor, query.id), 'policy-outcomes/read');
      return tx.taskStages.outcomes(query.id, query.filters, query.page);
    });
  }
}
