import type { Team, TeamId, UserId } from '../../../domain/index.js';

/** A membership of a team that a sign-in made. */
export interface SyncedMembership {
  readonly team: Team;
  /** Whether the sign-in also made the user a member of the organization. */
  readonly madeMember: boolean;
}

/** Groups at the identity provider, mapped to teams. */
export interface TeamGroupRepository {
  /** Maps a group to the team, instead of an earlier one; null maps none. */
  map(id: TeamId, group: string | null): Promise<void>;
  /** The existing teams that these groups are mapped to, ordered by id. */
  teamsOf(groups: readonly string[]): Promise<readonly Team[]>;
  /** The user's memberships that sign-ins made, ordered by team id. */
  ofUser(userId: UserId): Promise<readonly SyncedMembership[]>;
  /** Notes that a sign-in made the membership, which must exist. It is forgotten when the membership ends. */
  note(id: TeamId, userId: UserId, madeMember: boolean): Promise<void>;
  /** Forgets it: no sign-in removes the memberships from then on. */
  forget(id: TeamId, userIds: readonly UserId[]): Promise<void>;
}
