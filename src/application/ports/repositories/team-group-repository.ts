import type {
  GroupPattern,
  IdentityId,
  Membership,
  OrganizationId,
  Team,
  TeamId,
  UserId,
} from '../../../domain/index.js';

/** A team, and the group that is mapped to it. */
export interface MappedTeam {
  readonly team: Team;
  readonly group: string;
}

/** A membership of a team that a sign-in made. It has one of these for each identity that gives it. */
export interface GroupMembership extends MappedTeam {
  readonly userId: UserId;
  readonly identityId: IdentityId;
}

/** Groups at the identity provider: those that organizations were given, and those that are mapped to teams. */
export interface TeamGroupRepository {
  /** The groups that site administrators gave these organizations. Organizations without one are omitted. */
  given(ids: readonly OrganizationId[]): Promise<ReadonlyMap<OrganizationId, readonly GroupPattern[]>>;
  /** Replaces the groups that the organization was given. */
  give(id: OrganizationId, patterns: readonly GroupPattern[]): Promise<void>;
  /** Gives every group to the organization if no other exists. One organization gets it if several are created at once. */
  giveFirst(id: OrganizationId): Promise<void>;
  /** The names of existing organizations that were given every group, sorted, at most `max`. */
  withEveryGroup(max: number): Promise<readonly string[]>;
  /** Maps a group to the team, instead of an earlier one; null maps none. */
  map(id: TeamId, group: string | null): Promise<void>;
  /** The existing teams that these groups are mapped to, ordered by id. */
  teamsOf(groups: readonly string[]): Promise<readonly MappedTeam[]>;
  /** The memberships that sign-ins made, ordered by team, user and identity: those of a user, or of an organization. */
  memberships(of: MadeBySignIn): Promise<readonly GroupMembership[]>;
  /** Notes that a sign-in made the membership, which must exist. It is forgotten when the membership ends. */
  note(membership: GroupMembership): Promise<void>;
  /** Forgets what this identity gives. */
  withdraw(id: TeamId, userId: UserId, identityId: IdentityId): Promise<void>;
  /** Forgets who made the memberships: no sign-in ends them from then on. */
  forget(id: TeamId, userIds: readonly UserId[]): Promise<void>;
  /** The memberships of organizations that sign-ins made and whose user is in no team there. */
  withoutTeam(of: MadeBySignIn): Promise<readonly Membership[]>;
}

export type MadeBySignIn = { readonly userId: UserId } | { readonly organizationId: OrganizationId };
