import { type Actor, seenBy } from '../../../domain/index.js';
import type { MembershipView } from '../../ports/repositories/organization-repository.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { withVisibleTeams } from './visible-teams.js';

/** GET /organizations/:name/organization-memberships. */
export class ListOrganizationMemberships {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'memberships'>) {}

  execute(actor: Actor, organizationName: string, page: PageRequest): Promise<Page<MembershipView>> {
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = seenBy(await tx.organizations.findFor(actor, organizationName), 'memberships/read');
      const found = await tx.memberships.page(subject.id, page);
      return { ...found, items: found.items.map((membership) => withVisibleTeams(membership, standing)) };
    });
  }
}
