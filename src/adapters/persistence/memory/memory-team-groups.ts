import type {
  GroupMembership,
  MadeBySignIn,
  MappedTeam,
  TeamGroupRepository,
} from '../../../application/ports/repositories/team-group-repository.js';
import {
  everyGroup,
  type GroupPattern,
  type IdentityId,
  type Membership,
  type OrganizationId,
  type Team,
  type TeamId,
  type UserId,
} from '../../../domain/index.js';
import { byText, type CurrentTables, compare, present } from './memory-tables.js';

export class MemoryTeamGroups implements TeamGroupRepository {
  constructor(private readonly tables: CurrentTables) {}

  async given(ids: readonly OrganizationId[]): Promise<ReadonlyMap<OrganizationId, readonly GroupPattern[]>> {
    return new Map([...this.tables().organizationGroups].filter(([id]) => ids.includes(id)));
  }

  async give(id: OrganizationId, patterns: readonly GroupPattern[]): Promise<void> {
    const { organizationGroups } = this.tables();
    if (patterns.length === 0) organizationGroups.delete(id);
    else organizationGroups.set(id, patterns.toSorted());
  }

  async giveFirst(id: OrganizationId): Promise<void> {
    const tables = this.tables();
    const others = [...tables.organizations.keys()].filter((other) => other !== id && tables.organization(other));
    if (others.length === 0) tables.organizationGroups.set(id, [everyGroup]);
  }

  async withEveryGroup(most: number): Promise<readonly string[]> {
    const tables = this.tables();
    const given = [...tables.organizationGroups].filter(([, patterns]) => patterns.includes(everyGroup));
    const names = present(given.map(([id]) => tables.organization(id)?.name));
    return names.sort().slice(0, most);
  }

  async map(id: TeamId, group: string | null): Promise<void> {
    const { teamGroups } = this.tables();
    if (group === null) teamGroups.delete(id);
    else teamGroups.set(id, group);
  }

  async teamsOf(groups: readonly string[]): Promise<readonly MappedTeam[]> {
    const tables = this.tables();
    const mapped = [...tables.teamGroups].flatMap(([id, group]) => {
      const team = groups.includes(group) ? tables.team(id) : undefined;
      return team === undefined ? [] : [{ team, group }];
    });
    return mapped.sort((a, b) => compare(a.team.id, b.team.id));
  }

  async memberships(of: MadeBySignIn): Promise<readonly GroupMembership[]> {
    const tables = this.tables();
    const isAsked = (team: Team, userId: UserId) =>
      'userId' in of ? of.userId === userId : of.organizationId === team.organizationId;
    const made = [...tables.groupMemberships.values()].flatMap(({ teamId, userId, identityId, group }) => {
      const team = tables.team(teamId);
      return team && isAsked(team, userId) ? [{ team, userId, identityId, group }] : [];
    });
    return made.sort(
      (a, b) => compare(a.team.id, b.team.id) || compare(a.userId, b.userId) || compare(a.identityId, b.identityId),
    );
  }

  async note({ team: { id: teamId }, userId, identityId, group }: GroupMembership): Promise<void> {
    this.tables().groupMemberships.set(`${teamId} ${userId} ${identityId}`, { teamId, userId, identityId, group });
  }

  async withdraw(id: TeamId, userId: UserId, identityId: IdentityId): Promise<void> {
    this.tables().groupMemberships.delete(`${id} ${userId} ${identityId}`);
  }

  async forget(id: TeamId, userIds: readonly UserId[]): Promise<void> {
    for (const userId of userIds) this.tables().forgetGroups(id, userId);
  }

  async withoutTeam(of: MadeBySignIn): Promise<readonly Membership[]> {
    const tables = this.tables();
    const isIdle = ({ organizationId, userId, identityId }: Membership): boolean =>
      ('userId' in of ? of.userId === userId : of.organizationId === organizationId) &&
      identityId !== null &&
      !tables.teamsOf(organizationId).some(({ id }) => tables.teamMembers.get(id)?.has(userId));
    return [...tables.memberships.values()].filter(isIdle).sort(byText(({ id }) => id));
  }
}
