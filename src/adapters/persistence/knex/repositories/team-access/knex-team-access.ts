import type { Knex } from 'knex';
import type { Page, PageRequest, Place, Slice } from '../../../../../application/ports/repositories/page.js';
import type {
  AccessHolder,
  HolderView,
  TeamAccessFilter,
  TeamWorkspaceRepository,
  TeamWorkspaceView,
} from '../../../../../application/ports/repositories/team-workspace-repository.js';
import { actingFor } from '../../../../../domain/authorization/actor.js';
import {
  type Actor,
  alreadyTaken,
  type Grant,
  type ProjectId,
  type TeamId,
  type TeamInQuestion,
  type TeamVisibility,
  TeamWorkspace,
  type TeamWorkspaceId,
  type TeamWorkspaceState,
  type WithStanding,
  type WorkspaceId,
} from '../../../../../domain/index.js';
import { type Listed, listSize, mergedPart, ofPage, type Part, partOf } from '../../engine/lists.js';
import { columnsFrom, prepared } from '../../engine/prepared.js';
import { rowsOf } from '../../engine/rows.js';
import {
  asMissing,
  asTaken,
  columnsOf,
  pageOf,
  type Statements,
  spelledOut,
  staleRow,
} from '../../engine/statements.js';
import {
  accessFromText,
  type GrantRow,
  grantColumns,
  grantFromRow,
  grantToRow,
  seeing,
} from '../authorization/standing.js';
import { livingWorkspaces } from '../supporting/workspaces/knex-workspaces.js';

const grantFrom = (row: GrantRow): Grant => grantFromRow(row) as Grant;

const accessRows = rowsOf<TeamWorkspaceState>((row, as) => ({
  id: row.id,
  teamId: row.team_id,
  workspaceId: row.workspace_id,
  grant: as.read(row, grantColumns, grantFrom),
  revision: row.revision,
}));

interface NamesRow {
  readonly organization_name: string;
  readonly workspace_name: string;
}

const viewFrom = (row: NamesRow): TeamWorkspaceView => ({
  teamWorkspace: TeamWorkspace.restore(accessRows.read(row)),
  organizationName: row.organization_name,
  workspaceName: row.workspace_name,
});

/** The row's columns under names of their own, to tell them apart from the caller's grants in the same row. */
interface SeenRow extends TeamRow {
  readonly own_team_id: TeamId;
}

interface TeamRow {
  readonly team_visibility: string;
  readonly team_is_owners: boolean | number;
  readonly team_members_manage_token: boolean | number;
  readonly team_organization_access: string;
}

const teamColumns = (team: string) => ({
  team_visibility: `${team}.visibility`,
  team_is_owners: `${team}.is_owners`,
  team_members_manage_token: `${team}.members_manage_token`,
  team_organization_access: `${team}.organization_access`,
});

const names = { organization_name: 'o.name', workspace_name: 'w.name' };

const own = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, column]) => [`own_${name}`, column]));

const changeableToRow = ({ grant, revision }: TeamWorkspaceState) => ({ ...grantToRow(grant), revision });

const fromSeenRow = (row: SeenRow): TeamWorkspaceView => {
  const owned = Object.entries(row).filter(([name]) => name.startsWith('own_'));
  return viewFrom(Object.fromEntries(owned.map(([name, value]) => [name.slice('own_'.length), value])) as never);
};

const teamFromRow = (teamId: TeamId, row: TeamRow): TeamInQuestion => ({
  teamId,
  owners: Boolean(row.team_is_owners),
  secret: row.team_visibility === 'secret',
  membersManageToken: Boolean(row.team_members_manage_token),
  access: accessFromText(row.team_organization_access),
});

/** The access `g` to workspaces `w` that are not deleted. */
const toLivingWorkspaces = (sql: Knex): Knex.QueryBuilder =>
  livingWorkspaces(sql('team_workspaces as g').join('workspaces as w', 'w.id', 'g.workspace_id'));

/** The access of teams `t` that are not deleted. */
const living = (sql: Knex): Knex.QueryBuilder =>
  toLivingWorkspaces(sql).join('teams as t', 't.id', 'g.team_id').where('t.deleted_at', null);

const findWithStanding = seeing(
  'workspace',
  (sql, { id }: { readonly id: TeamWorkspaceId }) =>
    living(sql)
      .where('g.id', id)
      .select({
        ...own({ ...Object.fromEntries(accessRows.columns.map((column) => [column, `g.${column}`])), ...names }),
        ...teamColumns('t'),
      }),
  (row: SeenRow) => ({ teamWorkspace: fromSeenRow(row), team: teamFromRow(row.own_team_id, row) }),
);

interface HolderRow extends TeamRow {
  readonly holder_name: string;
  readonly project_id: ProjectId;
  /** Null, as everything about it, in the row of a holder without teams. */
  readonly team_id: TeamId | null;
  readonly team_name: string;
}

const holderFromRows = ({ holder_name: name, project_id: projectId }: HolderRow, rows: readonly HolderRow[]) => {
  const teams = rows.flatMap((row) =>
    row.team_id === null ? [] : [[row.team_id, { ...teamFromRow(row.team_id, row), name: row.team_name }] as const],
  );
  return { name, projectId, teams: new Map(teams) };
};

/** As the caller that `seeing` knows, if it belongs to the organization. */
const holding = (join: (workspaces: Knex.QueryBuilder, holder: string) => Knex.QueryBuilder, name: string) =>
  seeing(
    'workspace',
    (sql, { id, holder }: { readonly id: WorkspaceId; readonly holder: string }) =>
      join(livingWorkspaces(sql('workspaces as w')).where('w.id', id), holder).select({
        holder_name: name,
        project_id: 'w.project_id',
        team_id: 'st.id',
        team_name: 'st.name',
        ...teamColumns('st'),
      }),
    holderFromRows,
  );

const holders = {
  user: holding(
    (workspaces, holder) =>
      workspaces
        .join('users as h', (on) => on.onVal('h.id', holder).onNull('h.deleted_at'))
        .join('organization_memberships as hm', (on) =>
          on.on('hm.user_id', 'h.id').on('hm.organization_id', 'o.id').onNull('hm.invited_email'),
        ),
    'h.username',
  ),
  team: holding(
    (workspaces, holder) =>
      workspaces.join('teams as h', (on) =>
        on.onVal('h.id', holder).on('h.organization_id', 'o.id').onNull('h.deleted_at'),
      ),
    'h.name',
  ),
};

/** Taken before the standing is read: changes of one row wait for each other instead of finding a stale revision. */
const locked = prepared((sql, { id }: { readonly id: TeamWorkspaceId }) =>
  sql('team_workspaces').where('id', id).select('id').forNoKeyUpdate(),
);

/** Needs no answer: at another revision than the one before it fails, and under the lock the row is not removed. */
const changed = prepared((sql, row: Readonly<Record<string, unknown>> & Pick<TeamWorkspaceState, 'id' | 'revision'>) =>
  sql('team_workspaces')
    .where('id', row.id)
    .update({
      ...columnsFrom(row, grantColumns),
      revision: sql.raw('case when revision + 1 = cast(? as integer) then revision + 1 end', [row.revision]),
    }),
);

interface Filter extends Readonly<Record<string, unknown>> {
  readonly workspaceId: WorkspaceId;
  readonly teamId: TeamId | undefined;
  /** Undefined where the caller may see all teams. */
  readonly seen: readonly TeamId[] | undefined;
}

const seenOf = (visibility: TeamVisibility) => (visibility === 'all' ? undefined : visibility.visibleAnd);

/** The access listed of a workspace: that of living teams, which are not asked again. */
const matching = (sql: Knex, { workspaceId, teamId, seen }: Filter): Knex.QueryBuilder => {
  const rows = toLivingWorkspaces(sql).where('g.workspace_id', workspaceId).whereNotNull('g.listed_name');
  if (teamId !== undefined) rows.where('g.team_id', teamId);
  if (seen === undefined) return rows;
  return rows.where((any) => any.where('g.listed_visibility', 'organization').orWhereIn('g.team_id', seen));
};

const byName = (rows: Knex.QueryBuilder): Knex.QueryBuilder =>
  rows.select(...columnsOf('g', accessRows.columns), names).orderBy(['g.listed_name', 'g.team_id']);

const firstSlice = (limit: number) =>
  prepared((sql, filter: Filter) => byName(matching(sql, filter)).select('g.listed_name').limit(limit, spelledOut));

interface Rest extends Filter {
  readonly afterName: string;
  readonly afterTeamId: string;
}

/**
 * As with pages, ids come from an index first, those of visible teams and the few secret ones each from their own:
 * otherwise Postgres may sort all that is left of a list for each slice of it.
 */
const laterSlice = (limit: number) =>
  prepared((sql, { workspaceId, teamId, seen, afterName, afterTeamId }: Rest) => {
    const after = () => {
      const rows = sql('team_workspaces as l')
        .where('l.workspace_id', workspaceId)
        .whereNotNull('l.listed_name')
        .whereRaw('(l.listed_name, l.team_id) > (?, ?)', [afterName, afterTeamId])
        .select('l.id');
      return teamId === undefined ? rows : rows.where('l.team_id', teamId);
    };
    const first = (rows: Knex.QueryBuilder) =>
      rows.orderBy(['l.listed_name', 'l.team_id']).limit(limit, spelledOut).as('first');
    const ids = sql.select('id');
    if (seen === undefined) ids.from(first(after()));
    else {
      ids
        .from(first(after().whereRaw("l.listed_visibility = 'organization'")))
        .unionAll(after().whereIn('l.team_id', seen).whereRaw("l.listed_visibility <> 'organization'"));
    }
    return byName(ofPage(toLivingWorkspaces(sql), ids, 'g'))
      .select('g.listed_name')
      .limit(limit, spelledOut);
  });

/** By how many rows are asked for, of which there is one in use. */
const slices = new Map<
  number,
  { readonly first: ReturnType<typeof firstSlice>; readonly later: ReturnType<typeof laterSlice> }
>();

const slicesOf = (limit: number) => {
  const known = slices.get(limit) ?? { first: firstSlice(limit), later: laterSlice(limit) };
  slices.set(limit, known);
  return known;
};

interface SliceRow extends NamesRow {
  readonly team_id: TeamId;
  readonly listed_name: string;
}

export class KnexTeamAccess implements TeamWorkspaceRepository {
  constructor(private readonly db: Statements) {}

  async findFor(actor: Actor, id: TeamWorkspaceId): Promise<WithStanding<TeamWorkspaceView> | undefined> {
    await this.db.runLater(locked(this.db, { id }));
    const seen = await findWithStanding(this.db, actor, { id });
    return (
      seen && {
        subject: seen.subject.teamWorkspace,
        standing: { ...seen.standing, team: seen.subject.team },
      }
    );
  }

  holder(holder: AccessHolder, workspaceId: WorkspaceId): Promise<WithStanding<HolderView> | undefined> {
    return holders[holder.kind](this.db, actingFor(holder), { id: workspaceId, holder: holder.id });
  }

  add({ state }: TeamWorkspace): Promise<void> {
    const { id, teamId, workspaceId } = state;
    const row = { id, team_id: teamId, workspace_id: workspaceId, ...changeableToRow(state) };
    const taken = {
      team_id: () => alreadyTaken('team', 'Team'),
      team_workspaces_workspace_id: () => alreadyTaken('team', 'Team'),
    };
    return this.db.runLater(this.db.sql('team_workspaces').insert(row), asTaken(taken));
  }

  save({ state }: TeamWorkspace): Promise<void> {
    const { id } = state;
    const stale = () => staleRow({ table: 'team_workspaces', id });
    return this.db.runLater(changed(this.db, { id, ...changeableToRow(state) }), asMissing('revision', stale));
  }

  async remove(id: TeamWorkspaceId): Promise<boolean> {
    return (await this.db.run(this.db.sql('team_workspaces').where({ id }).delete())) > 0;
  }

  async page(
    { workspaceId, teamId, visibility }: TeamAccessFilter,
    page: PageRequest,
  ): Promise<Page<TeamWorkspaceView>> {
    if (teamId === undefined) return this.pageOfAll(workspaceId, visibility, page);
    const filter = { workspaceId, teamId, seen: seenOf(visibility) };
    return pageOf(this.db, matching(this.db.sql, filter), byName, viewFrom, page);
  }

  async slice(
    { workspaceId, teamId, visibility }: TeamAccessFilter,
    after: Place | undefined,
    limit: number,
  ): Promise<Slice<TeamWorkspaceView>> {
    const filter = { workspaceId, teamId, seen: seenOf(visibility) };
    // One extra row shows whether there are more.
    const { first, later } = slicesOf(limit + 1);
    const query =
      after === undefined
        ? first(this.db, filter)
        : later(this.db, { ...filter, afterName: after.name, afterTeamId: after.tie });
    const rows = await this.db.all<SliceRow>(query);
    const end = rows.length > limit ? rows[limit - 1] : undefined;
    const items = (end === undefined ? rows : rows.slice(0, limit)).map(viewFrom);
    return { items, last: end && { name: end.listed_name, tie: end.team_id } };
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
      return partOf(this.db, total, rows, viewFrom, page);
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
      viewFrom,
      page,
    );
  }
}
