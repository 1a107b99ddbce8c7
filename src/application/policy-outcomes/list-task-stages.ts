import { type Actor, type RunId, seenBy, type TaskStage, type WithStanding } from '../../domain/index.js';
import type { Page, PageRequest } from '../ports/repositories/page.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** GET /runs/:id/task-stages: the post-plan stage, if the run has one. */
export class ListTaskStages {
  constructor(private readonly unitOfWork: UnitOfWork<'runs' | 'taskStages'>) {}

  execute(actor: Actor, runId: RunId, page: PageRequest): Promise<Page<WithStanding<TaskStage>>> {
    return this.unitOfWork.read(async (tx) => {
      const { standing } = seenBy(await tx.runs.findFor(actor, runId), 'policy-outcomes/read');
      const stage = await tx.taskStages.ofRun(runId);
      const all = stage === undefined ? [] : [{ subject: stage, standing }];
      return { ...page, total: all.length, items: page.number === 1 ? all : [] };
    });
  }
}
