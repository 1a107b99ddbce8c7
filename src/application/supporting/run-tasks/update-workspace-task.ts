import {
  type Actor,
  authorized,
  checkStages,
  type WorkspaceId,
  type WorkspaceTask,
  type WorkspaceTaskId,
} from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { WorkspaceTaskSettings } from './add-workspace-task.js';

/** PATCH /workspaces/:id/tasks/:id: unnamed settings keep their value. Existing runs keep their snapshot of the task. */
export class UpdateWorkspaceTask {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaceTasks' | 'audit'>) {}

  execute(
    actor: Actor,
    workspaceId: WorkspaceId,
    id: WorkspaceTaskId,
    change: Partial<WorkspaceTaskSettings>,
  ): Promise<WorkspaceTask> {
    return this.unitOfWork.run(async (tx) => {
      const current = authorized(await tx.workspaceTasks.findFor(actor, workspaceId, id), 'workspace-tasks/manage');
      const stages = checkStages(change.stages ?? current.stages);
      const next = revised(current, { ...change, stages });
      await tx.workspaceTasks.save(next);
      await tx.audit.add(doneBy(actor, 'workspace-tasks/manage', id), next);
      return next;
    });
  }
}
