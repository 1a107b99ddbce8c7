import type { Knex } from 'knex';
import type {
  GroupMembership,
  MadeBySignIn,
  MappedTeam,
  TeamGroupRepository,
} from '../../../../../../application/ports/repositories/team-group-repository.js';
import {
  everyGroup,
  type GroupPattern,
  type IdentityId,
  type Membership,
  type OrganizationId,
  type TeamId,
  type UserId,
} from '../../../../../../domain/index.js';
import { onPostgres } from '../../../engine/on-postgres.js';
import { rowsOf } from '../../../engine/rows.js';
import { columnsOf, type Statements } from '../../../engine/statements.js';
import { activeTeams, selectTeams, teamRows } from './knex-teams.js';

const membershipRows = rowsOf<Membership>((row) => ({
  id: row.id,
  organizationId: row.organization_id,
  userId: row.user_id,
  createdAt: row.created_at,
  invitedEmail: row.invited_email,
  identityId: row.identity_id,
}));

interface GivenRow {
  readonly organization_id: OrganizationId;
  readonly pattern: GroupPattern;
}

interface MadeRow {
  readonly made_for: UserId;
  readonly made_by: IdentityId;
  readonly made_of: string;
}

export class KnexTeamGroups implements TeamGroupRepository {
  constructor(private readonly db: Statements) {}

  async given(ids: readonly OrganizationId[]): Promise<ReadonlyMap<OrganizationId, readonly GroupPattern[]>> {
    if (ids.length === 0) return new Map();
    const given = this.db.sql('organization_groups').whereIn('organization_id', [...ids]);
    const rows = await this.db.all<GivenRow>(given.select('organization_id', 'pattern').orderBy('pattern'));
    const byOrganization = Map.groupBy(rows, (row) => row.organization_id);
    return new Map([...byOrganization].map(([id, own]) => [id, own.map(({ pattern }) => pattern)]));
  }

  async give(id: OrganizationId, patterns: readonly GroupPattern[]): Promise<void> {
    const { sql } = this.db;
    await this.db.run(sql('organization_groups').where({ organization_id: id }).delete());
    const rows = patterns.map((pattern) => ({ organization_id: id, pattern }));
    if (rows.length > 0) await this.db.run(sql('organization_groups').insert(rows));
  }

  async giveFirst(id: OrganizationId): Promise<void> {
    const { sql } = this.db;
    // Two transactions that each create an organization do not see the other's.
    if (onPostgres(sql)) {
      await this.db.run(sql.raw('lock table organization_groups in share row exclusive mode'));
    }
    const others = sql('organizations').whereNull('deleted_at').whereNot('id', id).select('id');
    const own = sql('organizations').where({ id }).whereNotExists(others);
    const columns = sql.raw('organization_groups (organization_id, pattern)');
    await this.db.run(sql(columns).insert(own.select('id', sql.raw('?', [everyGroup]))));
  }

  async withEveryGroup(max: number): Promise<readonly string[]> {
    const { sql } = this.db;
    const rows = await this.db.all<{ readonly name: string }>(
      sql('organizations as o')
        .join('organization_groups as g', 'g.organization_id', 'o.id')
        .where({ 'g.pattern': everyGroup, 'o.deleted_at': null })
        .select('o.name')
        .orderBy('o.name')
        .limit(max),
    );
    return rows.map(({ name }) => name);
  }

  async map(id: TeamId, group: string | null): Promise<void> {
    const { sql } = this.db;
    if (group === null) {
      await this.db.run(sql('team_groups').where({ team_id: id }).delete());
      return;
    }
    const row = sql('team_groups').insert({ team_id: id, group_name: group });
    await this.db.run(row.onConflict('team_id').merge(['group_name']));
  }

  async teamsOf(groups: readonly string[]): Promise<readonly MappedTeam[]> {
    if (groups.length === 0) return [];
    const mapped = activeTeams(this.db.sql)
      .join('team_groups as g', 'g.team_id', 't.id')
      .whereIn('g.group_name', [...groups])
      .select({ mapped: 'g.group_name' });
    const rows = await this.teams<{ readonly mapped: string }>(mapped, 't.id');
    return rows.map((row) => ({ team: teamRows.read(row), group: row.mapped }));
  }

  async memberships(of: MadeBySignIn): Promise<readonly GroupMembership[]> {
    const made = activeTeams(this.db.sql)
      .join('group_memberships as s', 's.team_id', 't.id')
      .where('userId' in of ? { 's.user_id': of.userId } : { 't.organization_id': of.organizationId })
      .select({ made_for: 's.user_id', made_by: 's.identity_id', made_of: 's.group_name' });
    const rows = await this.teams<MadeRow>(made, 't.id', 's.user_id', 's.identity_id');
    return rows.map((row) => ({
      team: teamRows.read(row),
      userId: row.made_for,
      identityId: row.made_by,
      group: row.made_of,
    }));
  }

  async note({ team, userId, identityId, group }: GroupMembership): Promise<void> {
    const row = { team_id: team.id, user_id: userId, identity_id: identityId, group_name: group };
    const insert = this.db.sql('group_memberships').insert(row);
    await this.db.run(insert.onConflict(['team_id', 'user_id', 'identity_id']).merge(['group_name']));
  }

  async withdraw(id: TeamId, userId: UserId, identityId: IdentityId): Promise<void> {
    const row = { team_id: id, user_id: userId, identity_id: identityId };
    await this.db.run(this.db.sql('group_memberships').where(row).delete());
  }

  async forget(id: TeamId, userIds: readonly UserId[]): Promise<void> {
    await this.db.runLater(
      this.db
        .sql('group_memberships')
        .where('team_id', id)
        .whereIn('user_id', [...userIds])
        .delete(),
    );
  }

  async withoutTeam(of: MadeBySignIn): Promise<readonly Membership[]> {
    const { sql } = this.db;
    const inTeam = activeTeams(sql)
      .join('team_members as tm', 'tm.team_id', 't.id')
      .whereRaw('tm.user_id = m.user_id and tm.organization_id = m.organization_id')
      .select('t.id');
    const rows = await this.db.all<object>(
      sql('organization_memberships as m')
        .where('userId' in of ? { 'm.user_id': of.userId } : { 'm.organization_id': of.organizationId })
        .whereNotNull('m.identity_id')
        .whereNotExists(inTeam)
        .select(...columnsOf('m', membershipRows.columns))
        .orderBy('m.id'),
    );
    return rows.map(membershipRows.read);
  }

  private teams<Row extends object>(teams: Knex.QueryBuilder, ...order: readonly string[]): Promise<Row[]> {
    return this.db.all<Row>(selectTeams(this.db.sql, teams).orderBy([...order]));
  }
}
