import type { Member, Team, TeamId, WithStanding } from '../../domain/index.js';
import type { MembershipView } from '../ports/repositories/organization-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { withVisibleTeams } from '../supporting/organizations/visible-teams.js';

export type TeamInclude = 'users' | 'memberships';

/** By team; empty if not requested. */
export interface RelatedToTeams {
  readonly members: ReadonlyMap<TeamId, readonly Member[]>;
  readonly memberships: ReadonlyMap<TeamId, readonly MembershipView[]>;
}

/** The members of teams of one organization that the caller may see. */
export class ShowRelatedToTeams {
  constructor(private readonly unitOfWork: UnitOfWork<'teams' | 'memberships'>) {}

  execute(teams: readonly WithStanding<Team>[], include: ReadonlySet<TeamInclude>): Promise<RelatedToTeams> {
    return this.unitOfWork.read(async (tx) => {
      const [first] = teams;
      const members = await tx.teams.members(teams.map(({ subject }) => subject.id));
      if (first === undefined || !include.has('memberships')) return { members, memberships: new Map() };
      const userIds = new Set([...members.values()].flatMap((some) => some.map(({ id }) => id)));
      const found = await tx.memberships.ofUsers(first.subject.organizationId, [...userIds]);
      const byUser = new Map(found.map((one) => [one.userId, withVisibleTeams(one, first.standing)]));
      const memberships = [...members].map(
        ([id, some]) => [id, some.flatMap((one) => byUser.get(one.id) ?? [])] as const,
      );
      return { members, memberships: new Map(memberships) };
    });
  }
}
