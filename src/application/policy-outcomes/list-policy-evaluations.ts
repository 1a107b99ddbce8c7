import { type Actor, authorized, type LocatedEvaluation, type TaskStageId } from '../../domain/index.js';
import { type Page, type PageRequest, pageOfAll } from '../ports/repositories/page.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** GET /task-stages/:id/policy-evaluations. A stage has exactly one per policy kind. */
export class ListPolicyEvaluations {
  constructor(private readonly unitOfWork: UnitOfWork<'taskStages'>) {}

  execute(actor: Actor, id: TaskStageId, page: PageRequest): Promise<Page<LocatedEvaluation>> {
    return this.unitOfWork.read(async (tx) => {
      const { evaluations } = authorized(await tx.taskStages.findFor(actor, id), 'policy-outcomes/read');
      const all = evaluations.map((one) => ({ ...one, taskStageId: id }));
      return pageOfAll(all, page);
    });
  }
}
