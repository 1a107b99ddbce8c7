import {
  type Actor,
  authorized,
  type WorkspaceId,
  type WorkspaceTask,
  type WorkspaceTaskId,
} from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /workspaces/:id/tasks/:id. */
export class ShowWorkspaceTask {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaceTasks'>) {}

  async execute(actor: Actor, workspaceId: WorkspaceId, id: WorkspaceTaskId): Promise<WorkspaceTask> {
    const seen = await this.unitOfWork.read((tx) => tx.workspaceTasks.findFor(actor, workspaceId, id));
    return authorized(seen, 'workspace-tasks/read');
  }
}
