import type { Knex } from 'knex';
import type { Page, PageRequest } from '../../../application/ports/page.js';
import type {
  TeamAccessFilter,
  TeamWorkspaceRepository,
  TeamWorkspaceView,
} from '../../../application/ports/team-workspace-repository.js';
import {
  type Actor,
  alreadyTaken,
  type Grant,
  type Seen,
  type TeamId,
  type TeamInQuestion,
  type TeamVisibility,
  type TeamWorkspace,
  type TeamWorkspaceId,
  type WorkspaceId,
} from '../../../domain/index.js';
import { type Listed, listSize, mergedPart, ofPage, type Part, partOf } from './engine/lists.js';
import { prepared } from './engine/prepared.js';
import { columnsOf, pageOf, type Statements, unlessStale, unlessTaken } from './engine/statements.js';
import { livingWorkspaces } from './knex-workspaces.js';
import { accessFromText, type GrantRow, grantColumns, grantFromRow, grantToRow, seeing } from './standing.js';

interface TeamWorkspaceRow extends GrantRow {
  readonly id: TeamWorkspaceId;
  readonly team_id: TeamId;
  readonly workspace_id: WorkspaceId;
  readonly revision: number;
  readonly organization_name: string;
  readonly workspace_name: string;
}

const columns = [
  'id',
  'team_id',
  'workspace_id',
  'revision',
  ...grantColumns,
] as const satisfies readonly (keyof TeamWorkspaceRow)[];

/** The row's columns under names of their own: beside them stand the grants that make the caller's standing. */
type SeenRow = { readonly [Column in keyof TeamWorkspaceRow as `own_${Column}`]: TeamWorkspaceRow[Column] } & {
  readonly team_visibility: string;
  readonly team_is_owners: boolean | number;
  readonly team_members_manage_token: boolean | number;
  readonly team_organization_access: string;
};

const names = { organization_name: 'o.name', workspace_name: 'w.name' };

const own = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, column]) => [`own_${name}`, column]));

const changeableToRow = ({ grant, revision }: TeamWorkspace) => ({ ...grantToRow(grant), revision });

const fromRow = (row: TeamWorkspaceRow): TeamWorkspaceView => ({
  id: row.id,
  teamId: row.team_id,
  workspaceId: row.workspace_id,
  organizationName: row.organization_name,
  workspaceName: row.workspace_name,
  grant: grantFromRow(row) as Grant,
  revision: row.revision,
});

const fromSeenRow = (row: SeenRow): TeamWorkspaceView => {
  const owned = Object.entries(row).filter(([name]) => name.startsWith('own_'));
  return fromRow(Object.fromEntries(owned.map(([name, value]) => [name.slice('own_'.length), value])) as never);
};

const teamFromSeenRow = (row: SeenRow): TeamInQuestion => ({
  teamId: row.own_team_id,
  owners: Boolean(row.team_is_owners),
  secret: row.team_visibility === 'secret',
  membersManageToken: Boolean(row.team_members_manage_token),
  access: accessFromText(row.team_organization_access),
});

/** The access `g` to living workspaces `w`. */
const toLivingWorkspaces = (sql: Knex): Knex.QueryBuilder =>
  livingWorkspaces(sql('team_workspaces as g').join('workspaces as w', 'w.id', 'g.workspace_id'));

/** That of living teams `t`. */
const living = (sql: Knex): Knex.QueryBuilder =>
  toLivingWorkspaces(sql).join('teams as t', 't.id', 'g.team_id').where('t.deleted_at', null);

const findSeen = seeing(
  'workspace',
  (sql, { id }: { readonly id: TeamWorkspaceId }) =>
    living(sql)
      .where('g.id', id)
      .select({
        ...own({ ...Object.fromEntries(columns.map((column) => [column, `g.${column}`])), ...names }),
        team_visibility: 't.visibility',
        team_is_owners: 't.is_owners',
        team_members_manage_token: 't.members_manage_token',
        team_organization_access: 't.organization_access',
      }),
  (row: SeenRow) => ({ teamWorkspace: fromSeenRow(row), team: teamFromSeenRow(row) }),
);

interface Filter extends Readonly<Record<string, unknown>> {
  readonly workspaceId: WorkspaceId;
  readonly teamId: TeamId | undefined;
  /** Undefined where all teams may be seen. */
  readonly seen: readonly TeamId[] | undefined;
}

/** What is listed of a workspace: of living teams, which are not asked again. */
const matching = (sql: Knex, { workspaceId, teamId, seen }: Filter): Knex.QueryBuilder => {
  const rows = toLivingWorkspaces(sql).where('g.workspace_id', workspaceId).whereNotNull('g.listed_name');
  if (teamId !== undefined) rows.where('g.team_id', teamId);
  if (seen === undefined) return rows;
  return rows.where((any) => any.where('g.listed_visibility', 'organization').orWhereIn('g.team_id', seen));
};

const byName = (rows: Knex.QueryBuilder): Knex.QueryBuilder =>
  rows.select(...columnsOf('g', columns), names).orderBy(['g.listed_name', 'g.team_id']);

const allMatching = prepared((sql, filter: Filter) => byName(matching(sql, filter)));

export class KnexTeamAccess implements TeamWorkspaceRepository {
  constructor(private readonly db: Statements) {}

  async findFor(actor: Actor, id: TeamWorkspaceId): Promise<Seen<TeamWorkspaceView> | undefined> {
    const seen = await findSeen(this.db, actor, { id });
    return (
      seen && {
        subject: seen.subject.teamWorkspace,
        standing: { ...seen.standing, team: seen.subject.team },
      }
    );
  }

  add(teamWorkspace: TeamWorkspace): Promise<void> {
    const { id, teamId, workspaceId } = teamWorkspace;
    const row = { id, team_id: teamId, workspace_id: workspaceId, ...changeableToRow(teamWorkspace) };
    const taken = {
      team_id: () => alreadyTaken('team', 'Team'),
      team_workspaces_workspace_id: () => alreadyTaken('team', 'Team'),
    };
    return unlessTaken(this.db.run(this.db.sql('team_workspaces').insert(row)), taken);
  }

  save(teamWorkspace: TeamWorkspace): Promise<void> {
    const { id, revision } = teamWorkspace;
    const update = this.db
      .sql('team_workspaces')
      .where({ id, revision: revision - 1 })
      .update(changeableToRow(teamWorkspace));
    return unlessStale(id, this.db.run(update));
  }

  async remove(id: TeamWorkspaceId): Promise<boolean> {
    return (await this.db.run(this.db.sql('team_workspaces').where({ id }).delete())) > 0;
  }

  async page(
    { workspaceId, teamId, visibility }: TeamAccessFilter,
    page: PageRequest | undefined,
  ): Promise<Page<TeamWorkspaceView>> {
    const filter = { workspaceId, teamId, seen: visibility === 'all' ? undefined : visibility.visibleAnd };
    if (page !== undefined) {
      return teamId === undefined
        ? this.pageOfAll(workspaceId, visibility, page)
        : pageOf(this.db, matching(this.db.sql, filter), byName, fromRow, page);
    }
    const items = (await this.db.all<TeamWorkspaceRow>(allMatching(this.db, filter))).map(fromRow);
    return { number: 1, size: Math.max(1, items.length), total: items.length, items };
  }

  private async pageOfAll(
    workspaceId: WorkspaceId,
    visibility: TeamVisibility,
    page: PageRequest,
  ): Promise<Page<TeamWorkspaceView>> {
    const { sql } = this.db;
    const listed = (way: 'asc' | 'desc') =>
      sql('team_workspaces as l')
        .where('l.workspace_id', workspaceId)
        .whereNotNull('l.listed_name')
        .orderBy('l.listed_name', way)
        .orderBy('l.team_id', way);
    if (visibility === 'all') {
      const total = await listSize(this.db, 'accesses', workspaceId);
      const rows = (part: Part) => {
        const ids = part((way) => listed(way).select('l.id'));
        return byName(ofPage(living(sql), ids, 'g'));
      };
      return partOf(this.db, total, rows, fromRow, page);
    }
    const named = (alias: string) => [`${alias}.id`, `${alias}.listed_name as name`, `${alias}.team_id as tie`];
    const secret = await this.db.all<Listed>(
      living(sql)
        .where('g.workspace_id', workspaceId)
        .whereIn('g.team_id', visibility.visibleAnd)
        .whereNot('t.visibility', 'organization')
        .select(named('g')),
    );
    // Spelled out and not bound, so that the index of visible teams is known to hold them.
    const visible = listed('asc').whereRaw("l.listed_visibility = 'organization'").select(named('l'));
    const total = (await listSize(this.db, 'visible-accesses', workspaceId)) + secret.length;
    return mergedPart(
      this.db,
      { total, long: visible, few: secret },
      (ids) => byName(living(sql).whereIn('g.id', ids)),
      fromRow,
      page,
    );
  }
}
