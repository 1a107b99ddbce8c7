import type { TeamFilter } from '../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import type { LimitedTeam, TeamRepository } from '../../../application/ports/repositories/team-repository.js';
import {
  type Actor,
  alreadyTaken,
  asQuestion,
  type Instant,
  type Member,
  type OrganizationId,
  type Team,
  type TeamId,
  type TeamVisibility,
  teamNameKey,
  type UserId,
  type WithStanding,
} from '../../../domain/index.js';
import { standingIn } from './memory-standing.js';
import { type CurrentTables, checkRevision, pageOf, present } from './memory-tables.js';

export class MemoryTeams implements TeamRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: TeamId): Promise<WithStanding<Team> | undefined> {
    const subject = this.tables().team(id);
    if (subject === undefined) return undefined;
    const standing = standingIn(this.tables(), actor, subject.organizationId);
    return { subject, standing: { ...standing, team: asQuestion(subject) } };
  }

  async findLimitedFor(actor: Actor, id: TeamId): Promise<WithStanding<LimitedTeam> | undefined> {
    const seen = await this.findFor(actor, id);
    const limits = seen && this.tables().organization(seen.subject.organizationId);
    return seen && limits && { ...seen, subject: { team: seen.subject, limits } };
  }

  async ownedBy(userId: UserId): Promise<readonly Team[]> {
    const tables = this.tables();
    const living = present([...tables.teams.keys()].map((id) => tables.team(id)));
    return living.filter((team) => team.owners && tables.isInTeam(team.id, userId));
  }

  async add(team: Team): Promise<void> {
    this.checkName(team);
    this.tables().teams.set(team.id, team);
  }

  async save(team: Team): Promise<void> {
    checkRevision(this.tables().team(team.id), team);
    this.checkName(team);
    this.tables().teams.set(team.id, team);
  }

  async remove(id: TeamId, now: Instant): Promise<void> {
    this.tables().delete(id, now);
  }

  async page(
    organizationId: OrganizationId,
    visibility: TeamVisibility,
    page: PageRequest,
    { search = '', names }: TeamFilter = {},
  ): Promise<Page<Team>> {
    const visible = (team: Team) =>
      visibility === 'all' || team.visibility === 'organization' || visibility.visibleAnd.includes(team.id);
    const matches = ({ name }: Team) =>
      teamNameKey(name).includes(teamNameKey(search)) &&
      (names === undefined || names.map(teamNameKey).includes(teamNameKey(name)));
    const teams = this.tables().teamsOf(organizationId);
    return pageOf(
      teams.filter((team) => visible(team) && matches(team)),
      page,
    );
  }

  async members(ids: readonly TeamId[]): Promise<ReadonlyMap<TeamId, readonly Member[]>> {
    const tables = this.tables();
    return new Map(ids.map((id) => [id, tables.team(id) === undefined ? [] : tables.membersOf(id)]));
  }

  async addMembers({ id }: Team, userIds: readonly UserId[]): Promise<void> {
    const { teamMembers } = this.tables();
    teamMembers.set(id, new Set([...(teamMembers.get(id) ?? []), ...userIds]));
  }

  async removeMembers(id: TeamId, userIds: readonly UserId[]): Promise<void> {
    const { teamMembers } = this.tables();
    teamMembers.set(id, new Set([...(teamMembers.get(id) ?? [])].filter((userId) => !userIds.includes(userId))));
    for (const userId of userIds) this.tables().forgetGroups(id, userId);
  }

  private checkName({ id, organizationId, name }: Team): void {
    const others = this.tables().teamsOf(organizationId);
    const taken = others.some((other) => teamNameKey(other.name) === teamNameKey(name) && other.id !== id);
    if (taken) throw alreadyTaken('name', 'Name');
  }
}
