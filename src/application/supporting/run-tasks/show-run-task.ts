import { type Actor, authorized, type RunTask, type RunTaskId } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /tasks/:id. */
export class ShowRunTask {
  constructor(private readonly unitOfWork: UnitOfWork<'runTasks'>) {}

  async execute(actor: Actor, id: RunTaskId): Promise<RunTask> {
    return authorized(await this.unitOfWork.read((tx) => tx.runTasks.findFor(actor, id)), 'run-tasks/manage');
  }
}
