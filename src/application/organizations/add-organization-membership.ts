import {
  type Actor,
  authorized,
  doneBy,
  invalidAttribute,
  type Membership,
  notFound,
  type Team,
  type TeamId,
  withChangedMembers,
} from '../../domain/index.js';
import type { Clock } from '../ports/clock.js';
import type { IdGenerator } from '../ports/id-generator.js';
import type { MembershipView } from '../ports/organization-repository.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** POST /organizations/:name/organization-memberships: makes a user of this service a member, and of the teams named. */
export class AddOrganizationMembership {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute(
    actor: Actor,
    command: { readonly organizationName: string; readonly email: string; readonly teamIds: readonly TeamId[] },
  ): Promise<MembershipView> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await tx.organizations.findFor(actor, command.organizationName);
      const { id: organizationId, name: organizationName } = authorized(seen, 'memberships/manage');
      const teams: Team[] = [];
      for (const teamId of new Set(command.teamIds)) {
        const team = authorized(await tx.teams.findFor(actor, teamId), 'team-members/manage');
        if (team.organizationId !== organizationId) throw notFound();
        teams.push(team);
      }
      const user = await tx.users.findByEmail(command.email);
      if (user === undefined) throw invalidAttribute('email', 'Email belongs to no user of this service');
      const membership: Membership = {
        id: this.ids.next('membership'),
        organizationId,
        userId: user.id,
        createdAt: this.clock.now(),
      };
      await tx.memberships.add(membership);
      for (const team of teams) {
        await tx.teams.save(withChangedMembers(team));
        await tx.teams.addMembers(team, [user.id]);
      }
      await tx.audit.add(doneBy(actor, 'memberships/manage', membership.id), membership);
      return { ...membership, organizationName, user, teams };
    });
  }
}
