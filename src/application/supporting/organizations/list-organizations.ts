import type { Actor, Organization, WithStanding } from '../../../domain/index.js';
import type { OrganizationFilter } from '../../ports/repositories/filters.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /organizations: the caller's own. */
export class ListOrganizations {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations'>) {}

  execute(actor: Actor, page: PageRequest, filter: OrganizationFilter = {}): Promise<Page<WithStanding<Organization>>> {
    return this.unitOfWork.read(async (tx) => {
      const found = await tx.organizations.page(actor, page, filter);
      const standingIn = await tx.organizations.standingIn(
        actor,
        found.items.map(({ id }) => id),
      );
      return { ...found, items: found.items.map((subject) => ({ subject, standing: standingIn(subject.id) })) };
    });
  }
}
