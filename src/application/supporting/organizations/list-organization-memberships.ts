import { type Actor, authorizedView, type Team, type WithStanding } from '../../../domain/index.js';
import type { MembershipFilter } from '../../ports/repositories/filters.js';
import type { MembershipView } from '../../ports/repositories/organization-repository.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { teamsOf, withVisibleTeams } from './visible-teams.js';

export interface MembershipPage extends Page<MembershipView> {
  /** The visible teams of all. */
  readonly teams: readonly WithStanding<Team>[];
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
      const { subject, standing } = authorizedView(
        await tx.organizations.findFor(actor, organizationName),
        'memberships/read',
      );
      const found = await tx.memberships.page(subject.id, page, filter);
      const items = found.items.map((membership) => withVisibleTeams(membership, standing));
      return { ...found, items, teams: teamsOf(items, standing) };
    });
  }
}
