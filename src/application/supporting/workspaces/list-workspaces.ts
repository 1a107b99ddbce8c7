import { type Actor, authorizedView, workspaceVisibility } from '../../../domain/index.js';
import type { WorkspaceFilter } from '../../ports/repositories/filters.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type ShownWorkspace, showingWorkspaces } from './show-workspace.js';

/** GET /organizations/:name/workspaces: those the caller may read. */
export class ListWorkspaces {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'runs'>) {}

  execute(
    actor: Actor,
    organizationName: string,
    page: PageRequest,
    filter: WorkspaceFilter = {},
  ): Promise<Page<ShownWorkspace>> {
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = authorizedView(
        await tx.organizations.findFor(actor, organizationName),
        'organizations/read',
      );
      const found = await tx.workspaces.page(subject.id, standing, workspaceVisibility(standing), page, filter);
      return { ...found, items: await showingWorkspaces(tx, found.items) };
    });
  }
}
