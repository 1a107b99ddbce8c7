import type { Knex } from 'knex';
import type { TeamFilter } from '../../../../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type { LimitedTeam, TeamRepository } from '../../../../../../application/ports/repositories/team-repository.js';
import {
  type Actor,
  alreadyTaken,
  type Instant,
  type Member,
  memberOf,
  type OrganizationId,
  type Team,
  type TeamId,
  type TeamVisibility,
  teamInQuestion,
  teamNameKey,
  type UserId,
  type WithStanding,
} from '../../../../../../domain/index.js';
import { type Listed, mergedPart, ofOrganization, ofPage } from '../../../engine/lists.js';
import { inserted, prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import {
  columnsOf,
  countOf,
  likeLiteral,
  pageOf,
  type Statements,
  throwIfStale,
  throwIfTaken,
} from '../../../engine/statements.js';
import { settingsColumns, settingsFrom } from '../../authorization/organization-settings-rows.js';
import { accessFromText, accessToText, seeing } from '../../authorization/standing.js';
import { userRows } from '../users/knex-users.js';

const accessFrom = ({ organization_access }: { readonly organization_access: string }) =>
  accessFromText(organization_access);

export const teamRows = rowsOf<Team>((row, as) => ({
  id: row.id,
  organizationId: row.organization_id,
  organizationName: as.joined(row.organization_name),
  name: row.name,
  visibility: row.visibility,
  membersManageToken: as.flag(row.members_manage_token),
  access: as.read(row, ['organization_access'], accessFrom),
  ssoTeamId: row.sso_team_id,
  owners: as.flag(row.is_owners),
  usersCount: as.joined(row.users_count, Number),
  createdAt: row.created_at,
  revision: row.revision,
}));

const settings = teamRows.only('name', 'visibility', 'membersManageToken', 'ssoTeamId', 'revision');

const settingsToRow = (team: Team) => ({
  ...settings.write(team),
  name_key: teamNameKey(team.name),
  organization_access: accessToText(team.access),
});

const usersCount = `(select count(*) from team_members as cm join users as cu on cu.id = cm.user_id
  where cm.team_id = t.id and cu.deleted_at is null)`;

/** Living teams `t` of living organizations `o`. */
export const activeTeams = (sql: Knex): Knex.QueryBuilder =>
  sql('teams as t')
    .join('organizations as o', 'o.id', 't.organization_id')
    .where({ 't.deleted_at': null, 'o.deleted_at': null });

/** Selects the columns `teamRows` reads. */
export const selectTeams = (sql: Knex, teams: Knex.QueryBuilder): Knex.QueryBuilder =>
  teams.select(...columnsOf('t', teamRows.columns), { organization_name: 'o.name', users_count: sql.raw(usersCount) });

/** Keeps of a query that has teams as `t` those that may be seen. */
export const onlyVisibleTeams = (teams: Knex.QueryBuilder, visibility: TeamVisibility): Knex.QueryBuilder =>
  visibility === 'all'
    ? teams
    : teams.where((any) => any.where('t.visibility', 'organization').orWhereIn('t.id', visibility.visibleAnd));

export const byTeamName = (teams: Knex.QueryBuilder): Knex.QueryBuilder => teams.orderBy('t.name_key').orderBy('t.id');

const matching = (teams: Knex.QueryBuilder, alias: string, { search, names }: TeamFilter): Knex.QueryBuilder => {
  if (search !== undefined) {
    teams.whereRaw(`${alias}.name_key like ? escape '!'`, [`%${likeLiteral(teamNameKey(search))}%`]);
  }
  if (names !== undefined) teams.whereIn(`${alias}.name_key`, names.map(teamNameKey));
  return teams;
};

const nameTaken = { name: () => alreadyTaken('name', 'Name') };

const selectTeam = (sql: Knex, { id }: { readonly id: TeamId }) => selectTeams(sql, activeTeams(sql).where('t.id', id));

const findTeam = seeing('organization', selectTeam, teamRows.read);

const findLimitedTeam = seeing(
  'organization',
  (sql, sought: { readonly id: TeamId }) => selectTeam(sql, sought).select(columnsOf('o', settingsColumns)),
  (row: Parameters<typeof settingsFrom>[0]): LimitedTeam => {
    const team = teamRows.read(row);
    return { team, limits: { name: team.organizationName, settings: settingsFrom(row) } };
  },
);

const inQuestion = <Subject>({ subject, standing }: WithStanding<Subject>, team: Team): WithStanding<Subject> => ({
  subject,
  standing: { ...standing, team: teamInQuestion(team) },
});

const withMembers = prepared(
  (
    sql,
    {
      id,
      organizationId,
      userIds,
      now,
    }: Pick<Team, 'id' | 'organizationId'> & { readonly userIds: readonly UserId[]; readonly now: Instant },
  ) => {
    // Selected, because SQLite takes no more than 500 listed rows; it needs the `where` to tell `on conflict` from a join.
    const rows = sql('users')
      .whereIn('id', userIds)
      .select(sql.raw('?', id), 'id', sql.raw('?', organizationId), sql.raw('?', now));
    const insert = 'insert into team_members (team_id, user_id, organization_id, added_at)';
    return sql.raw(`${insert} select * from ? as member where true on conflict do nothing`, [rows]);
  },
);

export class KnexTeams implements TeamRepository {
  constructor(
    private readonly db: Statements,
    private readonly now: () => Instant,
  ) {}

  async findFor(actor: Actor, id: TeamId): Promise<WithStanding<Team> | undefined> {
    const seen = await findTeam(this.db, actor, { id });
    return seen && inQuestion(seen, seen.subject);
  }

  async findLimitedFor(actor: Actor, id: TeamId): Promise<WithStanding<LimitedTeam> | undefined> {
    const seen = await findLimitedTeam(this.db, actor, { id });
    return seen && inQuestion(seen, seen.subject.team);
  }

  async ownedBy(userId: UserId): Promise<readonly Team[]> {
    const owned = this.living()
      .join('team_members as om', 'om.team_id', 't.id')
      .where({ 'om.user_id': userId, 't.is_owners': true });
    return (await this.db.all<object>(this.select(owned))).map(teamRows.read);
  }

  add(team: Team): Promise<void> {
    const row = { ...teamRows.write(team), ...settingsToRow(team), access_changed_at: this.now() };
    return throwIfTaken(this.db.run(inserted(this.db, 'teams', row)), nameTaken);
  }

  save(team: Team): Promise<void> {
    const { sql } = this.db;
    const row = settingsToRow(team);
    const changedAt = 'case when organization_access = ? then access_changed_at else ? end';
    const update = sql('teams')
      .where({ id: team.id, revision: team.revision - 1, deleted_at: null })
      .update({ ...row, access_changed_at: sql.raw(changedAt, [row.organization_access, this.now()]) });
    return throwIfTaken(throwIfStale({ table: 'teams', id: team.id }, this.db.run(update)), nameTaken);
  }

  async remove(id: TeamId, now: Instant): Promise<void> {
    await this.db.run(this.db.sql('teams').where({ id, deleted_at: null }).update({ deleted_at: now }));
  }

  async page(
    organizationId: OrganizationId,
    visibility: TeamVisibility,
    page: PageRequest,
    filter: TeamFilter = {},
  ): Promise<Page<Team>> {
    const { sql } = this.db;
    const listed = matching(ofOrganization(sql, 'teams', organizationId).where('l.deleted_at', null), 'l', filter);
    const inOrder = (teams: Knex.QueryBuilder) => teams.orderBy('l.name_key').orderBy('l.id');
    if (visibility === 'all') {
      const present = (part: Knex.QueryBuilder) =>
        byTeamName(this.select(ofPage(this.living(), inOrder(part).select('l.id'), 't')));
      return pageOf(this.db, listed, present, teamRows.read, page);
    }
    const named = (alias: string) => [`${alias}.id`, `${alias}.id as tie`, `${alias}.name_key as name`];
    const secret = await this.db.all<Listed>(
      matching(this.living(), 't', filter)
        // Not a column alone, or SQLite would go through the organization's teams for a few ids.
        .whereRaw("t.organization_id || '' = ?", [organizationId])
        .whereIn('t.id', visibility.visibleAnd)
        .whereNot('t.visibility', 'organization')
        .select(named('t')),
    );
    // Spelled out and not bound, so that the index of visible teams is known to hold them.
    const visible = listed.whereRaw("l.visibility = 'organization'");
    const total = (await countOf(this.db, visible)) + secret.length;
    return mergedPart(
      this.db,
      { total, long: inOrder(visible).select(named('l')), few: secret },
      (ids) => byTeamName(this.select(this.living().whereIn('t.id', ids))),
      teamRows.read,
      page,
    );
  }

  async members(ids: readonly TeamId[]): Promise<ReadonlyMap<TeamId, readonly Member[]>> {
    const rows = await this.db.all<{ member_of: TeamId; invited_email: string | null }>(
      this.living()
        .join('team_members as tm', 'tm.team_id', 't.id')
        .join('users as u', 'u.id', 'tm.user_id')
        .leftJoin('organization_memberships as m', (on) =>
          on.on('m.user_id', 'u.id').on('m.organization_id', 't.organization_id'),
        )
        .whereNull('u.deleted_at')
        .whereIn('t.id', ids)
        .select(...columnsOf('u', userRows.columns), 'm.invited_email', { member_of: 't.id' })
        .orderByRaw('lower(coalesce(m.invited_email, u.username))')
        .orderBy('u.id'),
    );
    const ofTeam = Map.groupBy(rows, (row) => row.member_of);
    return new Map(
      ids.map((id) => [
        id,
        (ofTeam.get(id) ?? []).map((row) => memberOf({ invitedEmail: row.invited_email }, userRows.read(row))),
      ]),
    );
  }

  async addMembers({ id, organizationId }: Team, userIds: readonly UserId[]): Promise<void> {
    await this.db.run(withMembers(this.db, { id, organizationId, userIds, now: this.now() }));
  }

  async removeMembers(id: TeamId, userIds: readonly UserId[]): Promise<void> {
    await this.db.run(this.db.sql('team_members').where('team_id', id).whereIn('user_id', userIds).delete());
  }

  private living(): Knex.QueryBuilder {
    return activeTeams(this.db.sql);
  }

  private select(teams: Knex.QueryBuilder): Knex.QueryBuilder {
    return selectTeams(this.db.sql, teams);
  }
}
