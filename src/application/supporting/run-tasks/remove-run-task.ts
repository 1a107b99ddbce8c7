import type { Actor, RunTaskId } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/**
 * DELETE /tasks/:id: also detaches it from its workspaces and ends its callback tokens. A run that waits for it goes on
 * as if the task had failed.
 */
export class RemoveRunTask {
  constructor(
    private readonly unitOfWork: UnitOfWork<'runTasks' | 'taskResults' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, id: RunTaskId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: removed, done } = changing(actor, await tx.runTasks.findFor(actor, id), 'run-tasks/manage');
      await tx.runTasks.remove(id);
      await tx.taskResults.endTask({ taskId: id }, this.clock.now());
      await tx.audit.add(done(id), removed);
    });
  }
}
