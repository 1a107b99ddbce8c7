import { type Actor, type Standing, seenBy } from '../../../domain/index.js';
import type { MembershipFilter } from '../../ports/repositories/filters.js';
import type { MembershipView } from '../../ports/repositories/organization-repository.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { withVisibleTeams } from './visible-teams.js';

/** With the caller's standing on the organization. */
export interface MembershipPage extends Page<MembershipView> {
  readonly standing: Standing;
}

/** GET /organizations/:name/organization-memberships. */
export class ListOrganizationMemberships {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'memberships'>) {}

  execute(
    actor: Actor,
    organizationName: string,
    page: PageRequest,
    filter: MembershipFilter = {},
  ): Promise<MembershipPage> {
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = seenBy(await tx.organizations.findFor(actor, organizationName), 'memberships/read');
      const found = await tx.memberships.page(subject.id, page, filter);
      return { ...found, items: found.items.map((membership) => withVisibleTeams(membership, standing)), standing };
    });
  }
}
