import { type Actor, authorize, standingOnSite } from '../../domain/index.js';
import type { OrganizationRemoval } from '../ports/repositories/effect-outbox.js';
import type { Page, PageRequest } from '../ports/repositories/page.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** The workspaces of one removal are counted up to here: a page of removals then costs some 25 milliseconds at most. */
export const maxWorkspacesCounted = 10_000;

/** GET /admin/removals: deleted organizations whose data is being removed, the one deleted first at the beginning. */
export class ListRemovals {
  constructor(private readonly unitOfWork: UnitOfWork<'removals'>) {}

  async execute(actor: Actor, page: PageRequest): Promise<Page<OrganizationRemoval>> {
    authorize(standingOnSite(actor), 'effects/read');
    return this.unitOfWork.read((tx) => tx.removals.organizations(page, maxWorkspacesCounted));
  }
}
