import type { Knex } from 'knex';
import type {
  AccessHolders,
  AccessPlace,
  GrantSlice,
  PersonAtPlace,
  ReportedGrant,
  ReportedPerson,
  ReportedTeam,
  TeamAtPlace,
} from '../../../../../application/ports/repositories/access-holders.js';
import type { Page, PageRequest, Place, Slice } from '../../../../../application/ports/repositories/page.js';
import type {
  Grant,
  Instant,
  OrganizationId,
  ProjectGrant,
  TeamId,
  Timed,
  UserId,
} from '../../../../../domain/index.js';
import { ofPage } from '../../engine/lists.js';
import { prepared } from '../../engine/prepared.js';
import { presentIn } from '../../engine/present.js';
import { columnsOf, pageOf, type Statements, spelledOut } from '../../engine/statements.js';
import {
  type GrantRow,
  type GrantsRow,
  grantColumns,
  grantsInForce,
  inForce,
  isInForce,
  namedProjectGrant,
  type ProjectGrantRow,
  projectGrantColumns,
  storedGrant,
  storedProjectGrant,
} from '../authorization/grant-rows.js';
import { accessFromText, noAccessText, type TeamRow, teamColumns, teamInQuestion } from '../authorization/standing.js';

interface AtPlaceRow extends TeamRow, GrantsRow {
  readonly id: TeamId;
  readonly name: string;
  readonly seen_at: Instant;
  readonly in_project?: boolean | number;
}

function fromRow(row: AtPlaceRow): TeamAtPlace {
  const grants = grantsInForce(row, row.seen_at);
  const grantOn = grants.grant ? 'workspace' : grants.projectGrant && 'project';
  return {
    name: row.name,
    team: { ...teamInQuestion(row.id, row), ...(grantOn && { grantOn }) },
    standing: {
      teamId: row.id,
      owners: Boolean(row.team_is_owners),
      access: accessFromText(row.team_organization_access),
      ...grants,
      ...(row.in_project && { inProject: true }),
    },
  };
}

interface PersonRow {
  readonly id: string;
  readonly user_id: UserId;
  readonly listed_name: string;
  readonly invited_email: string | null;
}

/** The members `m` and their users `u`, of people who have rights. */
const members = (sql: Knex): Knex.QueryBuilder =>
  sql('organization_memberships as m')
    .join('users as u', 'u.id', 'm.user_id')
    .where({ 'u.deleted_at': null, 'u.suspended': false });

interface MemberRow extends PersonRow {
  readonly created_at: Instant;
}

interface AfterPlace extends Readonly<Record<string, unknown>> {
  readonly organizationId: OrganizationId;
  readonly after: string | undefined;
  readonly tie: string | undefined;
  readonly limit: number;
}

const membersAfter = prepared((sql, { organizationId, after, tie, limit }: AfterPlace) => {
  const rows = members(sql)
    .where('m.organization_id', organizationId)
    .whereNotNull('m.listed_name')
    .select(...columnsOf('m', ['id', 'user_id', 'listed_name', 'invited_email', 'created_at']))
    .orderBy(['m.listed_name', 'm.id'])
    .limit(limit, spelledOut);
  return after === undefined ? rows : rows.whereRaw('(m.listed_name, m.id) > (?, ?)', [after, tie as string]);
});

interface TeamOfRow {
  readonly user_id: UserId;
  readonly team_id: TeamId;
  readonly name: string;
  readonly is_owners: boolean | number;
  readonly organization_access: string;
  readonly added_at: Instant | null;
  readonly access_changed_at: Instant | null;
}

const teamsOf = prepared(
  (
    sql,
    { organizationId, userIds }: { readonly organizationId: OrganizationId; readonly userIds: readonly UserId[] },
  ) =>
    sql('team_members as tm')
      .join('teams as t', 't.id', 'tm.team_id')
      .whereIn('tm.user_id', userIds)
      .where({ 'tm.organization_id': organizationId, 't.deleted_at': null })
      .select('tm.user_id', 'tm.team_id', 'tm.added_at')
      .select(...columnsOf('t', ['name', 'is_owners', 'organization_access', 'access_changed_at']))
      .orderBy(['t.name_key', 't.id']),
);

const teamFrom = (row: TeamOfRow): ReportedTeam => ({
  teamId: row.team_id,
  name: row.name,
  owners: Boolean(row.is_owners),
  access: accessFromText(row.organization_access),
  joinedAt: row.added_at,
  accessChangedAt: row.access_changed_at,
});

interface GrantsOfTeam extends Readonly<Record<string, unknown>> {
  readonly teamId: TeamId;
  readonly after: string;
  readonly limit: number;
}

interface PlacedRow {
  readonly place_id: string;
  readonly place_name: string;
  readonly granted_at: Instant | null;
}

const workspaceGrants = prepared((sql, { teamId, after, limit }: GrantsOfTeam) =>
  sql('team_workspaces as g')
    .join('workspaces as p', 'p.id', 'g.workspace_id')
    .where({ 'g.team_id': teamId, 'p.deleted_at': null })
    .where('g.workspace_id', '>', after)
    .select({ place_id: 'g.workspace_id', place_name: 'p.name' }, ...columnsOf('g', [...grantColumns, 'granted_at']))
    .orderBy('g.workspace_id')
    .limit(limit, spelledOut),
);

const projectGrants = prepared((sql, { teamId, after, limit }: GrantsOfTeam) =>
  sql('team_projects as g')
    .join('projects as p', 'p.id', 'g.project_id')
    .where('g.team_id', teamId)
    .where('g.project_id', '>', after)
    .select(
      { place_id: 'g.project_id', place_name: 'p.name' },
      ...columnsOf('g', [...projectGrantColumns, 'granted_at']),
    )
    .orderBy('g.project_id')
    .limit(limit, spelledOut),
);

function reported<Given extends Grant | ProjectGrant>(
  row: PlacedRow,
  stored: Timed<Given> | undefined,
  at: Instant,
): readonly ReportedGrant<Given>[] {
  const grant = inForce(stored, at);
  if (grant === undefined) return [];
  // A fallback is in force since the end.
  const since = grant === stored ? row.granted_at : (stored?.ends?.at ?? null);
  return [{ placeId: row.place_id, placeName: row.place_name, grant, since }];
}

function sliceOf<Row extends PlacedRow, Given>(
  rows: readonly Row[],
  limit: number,
  itemsOf: (row: Row) => readonly ReportedGrant<Given>[],
): GrantSlice<Given> {
  return { items: rows.flatMap(itemsOf), last: rows.length < limit ? undefined : rows.at(-1)?.place_id };
}

export class KnexAccessHolders implements AccessHolders {
  constructor(private readonly db: Statements) {}

  async teamsAt(
    { organizationId, on }: AccessPlace,
    among?: readonly TeamId[] | 'with access',
  ): Promise<readonly TeamAtPlace[]> {
    const { sql, present } = this.db;
    const teams = sql('teams as t')
      .where({ 't.organization_id': organizationId, 't.deleted_at': null })
      .select('t.id', 't.name', teamColumns('t'), { seen_at: presentIn(sql, present.soFar()) })
      .orderBy(['t.name_key', 't.id']);
    const access = [sql.raw('t.is_owners'), sql.raw('t.organization_access <> ?', [noAccessText])];
    if (on !== undefined) {
      const project = 'projectId' in on ? sql.raw('?', [on.projectId]) : sql.ref('w.project_id');
      if ('workspaceId' in on) {
        teams
          .join('workspaces as w', (join) => join.onVal('w.id', on.workspaceId))
          .leftJoin('team_workspaces as g', (join) => join.on('g.team_id', 't.id').on('g.workspace_id', 'w.id'))
          .select(...columnsOf('g', grantColumns));
        access.push(sql.raw('g.id is not null'));
      } else {
        const inProject = this.inProject(on.projectId);
        teams.select({ in_project: inProject });
        access.push(inProject);
      }
      teams
        .leftJoin('team_projects as p', (join) => join.on('p.team_id', 't.id').on('p.project_id', project))
        .select(...namedProjectGrant('p'));
      access.push(sql.raw('p.id is not null'));
    }
    if (among === 'with access') teams.where((any) => access.map((held) => any.orWhereRaw(held)));
    else if (among !== undefined) teams.whereIn('t.id', among);
    return (await this.db.all<AtPlaceRow>(teams)).map(fromRow);
  }

  async people(
    organizationId: OrganizationId,
    alternatives: readonly (readonly (readonly TeamId[])[])[],
    page: PageRequest,
  ): Promise<Page<PersonAtPlace>> {
    if (alternatives.length === 0) return { ...page, total: 0, items: [] };
    const { sql } = this.db;
    const isIn = (teamIds: readonly TeamId[]) => sql('team_members').whereIn('team_id', teamIds).select('user_id');
    const people = members(sql).where('m.organization_id', organizationId).whereNotNull('m.listed_name');
    if (!alternatives.some((lists) => lists.length === 0)) {
      people.where((any) => {
        for (const lists of alternatives) {
          any.orWhere((all) => {
            for (const teamIds of lists) all.whereIn('m.user_id', isIn(teamIds));
          });
        }
      });
    }
    const order = (rows: Knex.QueryBuilder) => rows.orderBy(['m.listed_name', 'm.id']);
    const found = await pageOf<PersonRow, PersonRow>(
      this.db,
      people,
      (part) =>
        order(ofPage(sql('organization_memberships as m'), order(part.select('m.id')), 'm')).select(
          ...columnsOf('m', ['user_id', 'listed_name', 'invited_email']),
        ),
      (row) => row,
      page,
    );
    const userIds = found.items.map((row) => row.user_id);
    const rows = await this.db.all<{ readonly user_id: UserId; readonly team_id: TeamId }>(
      sql('team_members')
        .where('organization_id', organizationId)
        .whereIn('user_id', userIds)
        .select('user_id', 'team_id'),
    );
    const teams = Map.groupBy(rows, (row) => row.user_id);
    const items = found.items.map((row) => ({
      userId: row.user_id,
      name: row.listed_name,
      invited: row.invited_email !== null,
      teamIds: (teams.get(row.user_id) ?? []).map((one) => one.team_id),
    }));
    return { ...found, items };
  }

  async now(): Promise<Instant> {
    const { sql, present } = this.db;
    const row = await this.db.first<{ readonly at: Instant }>(sql.select({ at: presentIn(sql, present.soFar()) }));
    return row?.at ?? present.soFar();
  }

  async peopleAfter(
    organizationId: OrganizationId,
    after: Place | undefined,
    limit: number,
  ): Promise<Slice<ReportedPerson>> {
    const part = { organizationId, after: after?.name, tie: after?.tie, limit };
    const rows = await this.db.all<MemberRow>(membersAfter(this.db, part));
    const end = rows.length < limit ? undefined : rows.at(-1);
    const userIds = rows.map((row) => row.user_id);
    const teams =
      userIds.length === 0 ? [] : await this.db.all<TeamOfRow>(teamsOf(this.db, { organizationId, userIds }));
    const ofPerson = Map.groupBy(teams, (row) => row.user_id);
    const items = rows.map((row) => ({
      userId: row.user_id,
      name: row.listed_name,
      invited: row.invited_email !== null,
      since: row.created_at,
      teams: (ofPerson.get(row.user_id) ?? []).map(teamFrom),
    }));
    return { items, last: end && { name: end.listed_name, tie: end.id } };
  }

  async workspaceGrants(
    teamId: TeamId,
    at: Instant,
    after: string | undefined,
    limit: number,
  ): Promise<GrantSlice<Grant>> {
    const rows = await this.db.all<PlacedRow & GrantRow>(
      workspaceGrants(this.db, { teamId, after: after ?? '', limit }),
    );
    return sliceOf(rows, limit, (row) => reported(row, storedGrant(row), at));
  }

  async projectGrants(
    teamId: TeamId,
    at: Instant,
    after: string | undefined,
    limit: number,
  ): Promise<GrantSlice<ProjectGrant>> {
    const rows = await this.db.all<PlacedRow & ProjectGrantRow>(
      projectGrants(this.db, { teamId, after: after ?? '', limit }),
    );
    return sliceOf(rows, limit, (row) => reported(row, storedProjectGrant(row), at));
  }

  private inProject(projectId: string): Knex.Raw {
    const { sql, present } = this.db;
    const granted = sql('team_workspaces as g')
      .join('workspaces as w', 'w.id', 'g.workspace_id')
      .whereRaw('g.team_id = t.id')
      .where({ 'w.project_id': projectId, 'w.deleted_at': null })
      .whereRaw(isInForce(sql, 'g', present.soFar()));
    return sql.raw('exists ?', [granted.select('g.id')]);
  }
}
