import { type Actor, authorizedView, type TaskStage, type TaskStageId, type WithStanding } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { type ShownRun, showing } from '../supporting/runs/show-run.js';

export interface ShownTaskStage extends WithStanding<TaskStage> {
  /** Undefined if not requested. */
  readonly run: ShownRun | undefined;
}

/** GET /task-stages/:id. */
export class ShowTaskStage {
  constructor(private readonly unitOfWork: UnitOfWork<'runs' | 'taskStages' | 'runComments'>) {}

  execute(actor: Actor, id: TaskStageId, withRun: boolean): Promise<ShownTaskStage> {
    return this.unitOfWork.read(async (tx) => {
      const seen = authorizedView(await tx.taskStages.findFor(actor, id), 'policy-outcomes/read');
      const run = withRun ? await tx.runs.findFor(actor, seen.subject.runId) : undefined;
      return { ...seen, run: run && (await showing(tx, run)) };
    });
  }
}
