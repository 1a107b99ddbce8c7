import { type Actor, authorized, type WorkspaceId, type WorkspaceTask } from '../../../domain/index.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /workspaces/:id/tasks, in the order in which they were attached. */
export class ListWorkspaceTasks {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces' | 'workspaceTasks'>) {}

  execute(actor: Actor, workspaceId: WorkspaceId, page: PageRequest): Promise<Page<WorkspaceTask>> {
    return this.unitOfWork.read(async (tx) =>
      tx.workspaceTasks.page(
        authorized(await tx.workspaces.findIdFor(actor, workspaceId), 'workspace-tasks/read'),
        page,
      ),
    );
  }
}
