import type { Actor, Organization } from '../../../domain/index.js';
import type { OrganizationFilter } from '../../ports/repositories/filters.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /organizations: the caller's own. */
export class ListOrganizations {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations'>) {}

  execute(actor: Actor, page: PageRequest, filter: OrganizationFilter = {}): Promise<Page<Organization>> {
    return this.unitOfWork.read((tx) => tx.organizations.page(actor, page, filter));
  }
}
