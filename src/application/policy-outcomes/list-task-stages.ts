import { type Actor, authorizedView, type RunId, type TaskStage, type WithStanding } from '../../domain/index.js';
import { type Page, type PageRequest, pageOfAll } from '../ports/repositories/page.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** GET /runs/:id/task-stages: in the order of the run. */
export class ListTaskStages {
  constructor(private readonly unitOfWork: UnitOfWork<'runs' | 'taskStages'>) {}

  execute(actor: Actor, runId: RunId, page: PageRequest): Promise<Page<WithStanding<TaskStage>>> {
    return this.unitOfWork.read(async (tx) => {
      const { standing } = authorizedView(await tx.runs.findFor(actor, runId), 'policy-outcomes/read');
      const all = await tx.taskStages.ofRun(runId);
      return pageOfAll(
        all.map((subject) => ({ subject, standing })),
        page,
      );
    });
  }
}
