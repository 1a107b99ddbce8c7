import {
  type Actor,
  checkStages,
  type WorkspaceId,
  type WorkspaceTask,
  type WorkspaceTaskId,
} from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { changing } from '../../../domain/supporting/audit/change.js';
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
      const { subject: current, done } = changing(
        actor,
        await tx.workspaceTasks.findFor(actor, workspaceId, id),
        'workspace-tasks/manage',
      );
      const stages = checkStages(change.stages ?? current.stages);
      const next = revised(current, { ...change, stages });
      await tx.workspaceTasks.save(next);
      await tx.audit.add(done(id), next);
      return next;
    });
  }
}
