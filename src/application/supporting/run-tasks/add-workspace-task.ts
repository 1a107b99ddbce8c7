import {
  type Actor,
  checkStages,
  checkTaskCount,
  DomainError,
  type RunTaskId,
  type WorkspaceId,
  type WorkspaceTask,
} from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { checkAttachmentCount } from '../../../domain/supporting/run-tasks/run-task.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** The settings of an attachment, which may change. */
export type WorkspaceTaskSettings = Pick<WorkspaceTask, 'enforcementLevel' | 'stages'>;

/** POST /workspaces/:id/tasks: attaches a task of the organization. Runs created from then on call it. */
export class AddWorkspaceTask {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'runTasks' | 'workspaceTasks' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** Throws `attribute/invalid` for a task of another organization and for too many, and `attribute/taken`. */
  execute(
    actor: Actor,
    workspaceId: WorkspaceId,
    { taskId, ...settings }: WorkspaceTaskSettings & { readonly taskId: RunTaskId },
  ): Promise<WorkspaceTask> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: workspace, done } = changing(
        actor,
        await tx.workspaces.findFor(actor, workspaceId),
        'workspace-tasks/manage',
      );
      const task = await tx.runTasks.find(taskId);
      if (task?.organizationId !== workspace.organizationId) {
        const sentence = 'Task cannot be attached because the organization has no such run task';
        throw new DomainError('attribute/invalid', sentence, { relationship: 'task' });
      }
      // Requests for several workspaces at once may exceed it by their number.
      checkAttachmentCount(task.workspaceTaskIds.length + 1);
      // Serializes concurrent attachments, so that the second one counts the first towards the limit.
      await tx.workspaces.lockRow(workspaceId);
      checkTaskCount((await tx.workspaceTasks.count(workspaceId)) + 1);
      const attached: WorkspaceTask = {
        id: this.ids.next('workspace-task'),
        workspaceId,
        taskId,
        enforcementLevel: settings.enforcementLevel,
        stages: checkStages(settings.stages),
        createdAt: this.clock.now(),
        revision: 0,
      };
      await tx.workspaceTasks.add(attached);
      await tx.audit.add(done(attached.id), attached);
      return attached;
    });
  }
}
