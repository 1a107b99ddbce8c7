import { type Actor, authorized, type Membership, type Team, type TeamId } from '../../../domain/index.js';
import { foundInBody } from '../../../domain/shared/domain-error.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { checkEmail } from '../../../domain/supporting/organizations/organization.js';
import { withChangedMembers } from '../../../domain/supporting/teams/team.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { MembershipView } from '../../ports/repositories/organization-repository.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/**
 * POST /organizations/:name/organization-memberships: invites an address, optionally to teams. An existing user with
 * the address gets the rights at once; otherwise they wait until a user with it is created. The response is the same.
 */
export class AddOrganizationMembership {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'memberships' | 'users' | 'teams' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute(
    actor: Actor,
    command: { readonly organizationName: string; readonly email: string; readonly teamIds: readonly TeamId[] },
  ): Promise<MembershipView> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await tx.organizations.findFor(actor, command.organizationName);
      const {
        subject: { id: organizationId, name: organizationName },
        done,
      } = changing(actor, seen, 'memberships/manage');
      const teams: Team[] = [];
      for (const teamId of new Set(command.teamIds)) {
        const seenTeam = await tx.teams.findFor(actor, teamId);
        const isElsewhere = seenTeam?.subject.organizationId !== organizationId;
        const found = isElsewhere ? undefined : seenTeam;
        teams.push(foundInBody('Team', { relationship: 'teams' }, () => authorized(found, 'team-members/manage')));
      }
      const invitedEmail = checkEmail(command.email);
      const createdAt = this.clock.now();
      const candidates = this.ids.ofAddress(invitedEmail);
      const { id: userId } = await tx.users.reserve(invitedEmail, candidates, createdAt, 'to invite');
      const id = this.ids.next('membership');
      const membership: Membership = { id, organizationId, userId, createdAt, invitedEmail, identityId: null };
      await tx.memberships.add(membership);
      for (const team of teams) {
        await tx.teams.save(withChangedMembers(team));
        await tx.teams.addMembers(team, [userId]);
      }
      await tx.audit.add(done(membership.id), membership);
      return { ...membership, organizationName, user: { id: userId, email: invitedEmail, username: null }, teams };
    });
  }
}
