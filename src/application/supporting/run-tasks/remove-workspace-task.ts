import type { Actor, WorkspaceId, WorkspaceTaskId } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** DELETE /workspaces/:id/tasks/:id: ends its callback tokens. A run that waits for it goes on as if it had failed. */
export class RemoveWorkspaceTask {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaceTasks' | 'taskResults' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, workspaceId: WorkspaceId, id: WorkspaceTaskId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: removed, done } = changing(
        actor,
        await tx.workspaceTasks.findFor(actor, workspaceId, id),
        'workspace-tasks/manage',
      );
      await tx.workspaceTasks.remove(id);
      await tx.taskResults.endTask({ workspaceTaskId: id }, this.clock.now());
      await tx.audit.add(done(id), removed);
    });
  }
}
