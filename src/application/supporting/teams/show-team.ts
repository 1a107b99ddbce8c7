import {
  type Actor,
  authorizedView,
  type Member,
  type MembershipId,
  type Team,
  type TeamId,
  type WithStanding,
} from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

export interface TeamWithMembers extends WithStanding<Team> {
  readonly members: readonly Member[];
  readonly membershipIds: readonly MembershipId[];
}

/** GET /teams/:id. */
export class ShowTeam {
  constructor(private readonly unitOfWork: UnitOfWork<'teams' | 'memberships'>) {}

  execute(actor: Actor, id: TeamId): Promise<TeamWithMembers> {
    return this.unitOfWork.read(async (tx) => {
      const seen = authorizedView(await tx.teams.findFor(actor, id), 'teams/read');
      const members = (await tx.teams.members([id])).get(id) ?? [];
      const users = members.map((member) => member.id);
      const memberships = await tx.memberships.idsOf(seen.subject.organizationId, users);
      return { ...seen, members, membershipIds: users.flatMap((userId) => memberships.get(userId) ?? []) };
    });
  }
}
