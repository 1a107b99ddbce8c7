import { type Actor, type MembershipId, seenBy, type WithStanding } from '../../../domain/index.js';
import type { MembershipView } from '../../ports/repositories/organization-repository.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { withVisibleTeams } from './visible-teams.js';

/** GET /organization-memberships/:id. */
export class ShowOrganizationMembership {
  constructor(private readonly unitOfWork: UnitOfWork<'memberships'>) {}

  execute(actor: Actor, id: MembershipId): Promise<WithStanding<MembershipView>> {
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = seenBy(await tx.memberships.findFor(actor, id), 'memberships/read');
      return { subject: withVisibleTeams(subject, standing), standing };
    });
  }
}
