import { type Actor, type Seen, seenBy, type Workspace, workspaceVisibility } from '../../domain/index.js';
import type { Page, PageRequest } from '../ports/page.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** GET /organizations/:name/workspaces: those the caller may read. */
export class ListWorkspaces {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  execute(actor: Actor, organizationName: string, page: PageRequest): Promise<Page<Seen<Workspace>>> {
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = seenBy(
        await tx.organizations.findFor(actor, organizationName),
        'organizations/read',
      );
      return tx.workspaces.page(subject.id, standing, workspaceVisibility(standing), page);
    });
  }
}
