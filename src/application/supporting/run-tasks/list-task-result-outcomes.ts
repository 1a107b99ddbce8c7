import { type Actor, authorized, type TaskResultId, type TaskResultOutcome } from '../../../domain/index.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

export interface ListedTaskOutcome extends TaskResultOutcome {
  /** The id of its result, and its position there, from 1. */
  readonly id: string;
}

/** GET /task-results/:id/outcomes, in the order in which the task reported them. */
export class ListTaskResultOutcomes {
  constructor(private readonly unitOfWork: UnitOfWork<'taskResults'>) {}

  execute(actor: Actor, id: TaskResultId, page: PageRequest): Promise<Page<ListedTaskOutcome>> {
    return this.unitOfWork.read(async (tx) => {
      authorized(await tx.taskResults.findFor(actor, id), 'policy-outcomes/read');
      const found = await tx.taskResults.outcomes(id, page);
      const first = (page.number - 1) * page.size + 1;
      return { ...found, items: found.items.map((outcome, index) => ({ ...outcome, id: `${id}-${first + index}` })) };
    });
  }
}
