import { type Actor, authorized, type WorkspaceId, type WorkspaceTaskId } from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
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
      const removed = authorized(await tx.workspaceTasks.findFor(actor, workspaceId, id), 'workspace-tasks/manage');
      await tx.workspaceTasks.remove(id);
      await tx.taskResults.endTask({ workspaceTaskId: id }, this.clock.now());
      await tx.audit.add(doneBy(actor, 'workspace-tasks/manage', id), removed);
    });
  }
}
