import { type Actor, authorizedView, type MembershipId, type Team, type WithStanding } from '../../../domain/index.js';
import type { MembershipView } from '../../ports/repositories/organization-repository.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { teamsOf, withVisibleTeams } from './visible-teams.js';

export interface ShownMembership {
  readonly subject: MembershipView;
  /** Its visible teams. */
  readonly teams: readonly WithStanding<Team>[];
}

/** GET /organization-memberships/:id. */
export class ShowOrganizationMembership {
  constructor(private readonly unitOfWork: UnitOfWork<'memberships'>) {}

  execute(actor: Actor, id: MembershipId): Promise<ShownMembership> {
    return this.unitOfWork.read(async (tx) => {
      const { subject: found, standing } = authorizedView(await tx.memberships.findFor(actor, id), 'memberships/read');
      const subject = withVisibleTeams(found, standing);
      return { subject, teams: teamsOf([subject], standing) };
    });
  }
}
