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
  type Instant,
  type ProjectId,
  type TeamId,
  TeamWorkspace,
  type TeamWorkspaceId,
  type TeamWorkspaceState,
  type Timed,
  type WithStanding,
  type WorkspaceId,
} from '../../../../../domain/index.js';
import { ofPage } from '../../engine/lists.js';
import { columnsFrom, inserted, prepared } from '../../engine/prepared.js';
import { presentIn } from '../../engine/present.js';
import { rowsOf } from '../../engine/rows.js';
import {
  columnsOf,
  mapMissing,
  mapTaken,
  pageOf,
  type Statements,
  spelledOut,
  staleRow,
} from '../../engine/statements.js';
import { endedIn, type GrantRow, grantColumns, grantToRow, inForce, storedGrant } from '../authorization/grant-rows.js';
import { seeing, type TeamRow, teamColumns, teamInQuestion } from '../authorization/standing.js';
import { activeWorkspaces } from '../supporting/workspaces/knex-workspaces.js';

const grantFrom = (row: GrantRow): Timed<Grant> => storedGrant(row) as Timed<Grant>;

const accessRows = rowsOf<TeamWorkspaceState>((row, as) => ({
  id: row.id,
  teamId: row.team_id,
  workspaceId: row.workspace_id,
  grant: as.read(row, grantColumns, grantFrom),
  revision: row.revision,
}));

interface NamesRow {
  /** When the statement was run. */
  readonly seen_at: Instant;
  readonly organization_name: string;
  readonly workspace_name: string;
}

/** Undefined for a row of which nothing is in force. */
function viewFrom(row: NamesRow): TeamWorkspaceView | undefined {
  const stored = accessRows.read(row);
  const grant = inForce(stored.grant, row.seen_at);
  return (
    grant && {
      teamWorkspace: { ...stored, grant },
      ...(grant !== stored.grant && { isDue: true }),
      organizationName: row.organization_name,
      workspaceName: row.workspace_name,
    }
  );
}

/** The row's columns under names of their own, to tell them apart from the caller's grants in the same row. */
interface SeenRow extends TeamRow {
  readonly own_team_id: TeamId;
  readonly seen_at: Instant;
}

const names = { organization_name: 'o.name', workspace_name: 'w.name' };

const own = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, column]) => [`own_${name}`, column]));

const changeableToRow = ({ grant, revision }: TeamWorkspaceState) => ({ ...grantToRow(grant), revision });

const fromSeenRow = (row: SeenRow): TeamWorkspaceView | undefined => {
  const owned = Object.entries(row).filter(([name]) => name.startsWith('own_'));
  const restored = Object.fromEntries(owned.map(([name, value]) => [name.slice('own_'.length), value]));
  return viewFrom({ ...restored, seen_at: row.seen_at } as never);
};

/** The access `g` to workspaces `w` that are not deleted. */
const toLivingWorkspaces = (sql: Knex): Knex.QueryBuilder =>
  activeWorkspaces(sql('team_workspaces as g').join('workspaces as w', 'w.id', 'g.workspace_id'));

/** The access of teams `t` that are not deleted. */
const living = (sql: Knex): Knex.QueryBuilder =>
  toLivingWorkspaces(sql).join('teams as t', 't.id', 'g.team_id').where('t.deleted_at', null);

const findWithStanding = seeing(
  'workspace',
  (sql, { id }: { readonly id: TeamWorkspaceId }, soFar) =>
    living(sql)
      .where('g.id', id)
      .select({
        seen_at: presentIn(sql, soFar),
        ...own({ ...Object.fromEntries(accessRows.columns.map((column) => [column, `g.${column}`])), ...names }),
        ...teamColumns('t'),
      }),
  (row: SeenRow) => ({ teamWorkspace: fromSeenRow(row), team: teamInQuestion(row.own_team_id, row) }),
);

interface HolderRow extends TeamRow {
  readonly holder_name: string;
  /** Null for members and teams. */
  readonly holder_invited: string | null;
  readonly project_id: ProjectId;
  /** Null, as everything about it, in the row of a holder without teams. */
  readonly team_id: TeamId | null;
  readonly team_name: string;
}

const holderFromRows = (
  { holder_name: name, holder_invited: invited, project_id: projectId }: HolderRow,
  rows: readonly HolderRow[],
) => {
  const teams = rows.flatMap((row) =>
    row.team_id === null ? [] : [[row.team_id, { ...teamInQuestion(row.team_id, row), name: row.team_name }] as const],
  );
  return { name: invited ?? name, invited: invited !== null, projectId, teams: new Map(teams) };
};

/** As the caller that `seeing` knows, if it belongs to the organization. */
const holding = (
  join: (workspaces: Knex.QueryBuilder, holder: string) => Knex.QueryBuilder,
  name: string,
  invitedEmail: string | null,
) =>
  seeing(
    'workspace',
    (sql, { id, holder }: { readonly id: WorkspaceId; readonly holder: string }) =>
      join(activeWorkspaces(sql('workspaces as w')).where('w.id', id), holder).select({
        holder_name: name,
        holder_invited: invitedEmail ?? sql.raw('null'),
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
        .join('organization_memberships as hm', (on) => on.on('hm.user_id', 'h.id').on('hm.organization_id', 'o.id')),
    'h.username',
    'hm.invited_email',
  ),
  team: holding(
    (workspaces, holder) =>
      workspaces.join('teams as h', (on) =>
        on.onVal('h.id', holder).on('h.organization_id', 'o.id').onNull('h.deleted_at'),
      ),
    'h.name',
    null,
  ),
};

/** Taken before the standing is read: changes of one row wait for each other instead of finding a stale revision. */
const locked = prepared((sql, { id }: { readonly id: TeamWorkspaceId }) =>
  sql('team_workspaces').where('id', id).select('id').forNoKeyUpdate(),
);

const due = prepared((sql, { soFar, limit }: { readonly soFar: Instant; readonly limit: number }) =>
  sql('team_workspaces as g')
    .where('g.expires_at', '<=', presentIn(sql, soFar))
    .orderBy(['g.expires_at', 'g.id'])
    .limit(limit, spelledOut)
    .select('g.id'),
);

interface Due extends Readonly<Record<string, unknown>> {
  readonly id: TeamWorkspaceId | undefined;
  readonly teamId: TeamId | undefined;
  readonly workspaceId: WorkspaceId | undefined;
  readonly soFar: Instant;
}

const dueRow = prepared((sql, { id, teamId, workspaceId, soFar }: Due) => {
  const key = id === undefined ? { 'g.team_id': teamId, 'g.workspace_id': workspaceId } : { 'g.id': id };
  return sql('team_workspaces as g')
    .where(key)
    .where('g.expires_at', '<=', presentIn(sql, soFar))
    .select(columnsOf('g', accessRows.columns))
    .forNoKeyUpdate();
});

/** Needs no answer: at another revision than the one before it fails, and under the lock the row is not removed. */
const changed = prepared((sql, row: Readonly<Record<string, unknown>> & Pick<TeamWorkspaceState, 'id' | 'revision'>) =>
  sql('team_workspaces')
    .where('id', row.id)
    .update({
      ...columnsFrom(row, [...grantColumns, 'granted_at']),
      revision: sql.raw('case when revision + 1 = cast(? as integer) then revision + 1 end', [row.revision]),
    }),
);

interface Filter extends Readonly<Record<string, unknown>> {
  readonly workspaceId: WorkspaceId;
  readonly teamId: TeamId | undefined;
  /** Undefined where the caller may see all teams. */
  readonly seen: readonly TeamId[] | undefined;
  readonly endsBy: Instant | undefined;
  readonly soFar: Instant;
}

const filterFrom = ({ workspaceId, teamId, visibility, endsBy }: TeamAccessFilter, soFar: Instant): Filter => {
  const seen = visibility === 'all' ? undefined : visibility.visibleAnd;
  return { workspaceId, teamId, seen, endsBy, soFar };
};

/** The access `l` of teams that are not deleted. One index has all that is asked about, in the order of the list. */
const listed = (sql: Knex, { workspaceId, teamId, seen, endsBy, soFar }: Filter): Knex.QueryBuilder => {
  const workspace = activeWorkspaces(sql('workspaces as w')).where('w.id', workspaceId).select('w.id');
  const rows = sql('team_workspaces as l')
    .where('l.workspace_id', workspaceId)
    .whereNotNull('l.listed_name')
    .whereExists(workspace)
    .whereNotIn(
      'l.team_id',
      endedIn(sql, 'team_workspaces', soFar).where('e.workspace_id', workspaceId).select('e.team_id'),
    );
  if (endsBy !== undefined) {
    const ending = sql('team_workspaces as t').where('t.workspace_id', workspaceId).where('t.expires_at', '<=', endsBy);
    rows.whereIn('l.team_id', ending.where('t.expires_at', '>', presentIn(sql, soFar)).select('t.team_id'));
  }
  if (teamId !== undefined) rows.where('l.team_id', teamId);
  if (seen === undefined) return rows;
  return rows.where((any) => any.where('l.listed_visibility', 'organization').orWhereIn('l.team_id', seen));
};

/** The rows of a part of such a list: their ids come from its index first. */
const present = (sql: Knex, part: Knex.QueryBuilder, soFar: Instant): Knex.QueryBuilder =>
  ofPage(toLivingWorkspaces(sql), part.select('l.id').orderBy(['l.listed_name', 'l.team_id']), 'g')
    .select(...columnsOf('g', accessRows.columns), names, 'g.listed_name', { seen_at: presentIn(sql, soFar) })
    .orderBy(['g.listed_name', 'g.team_id']);

interface SliceOf extends Filter {
  readonly after: string | undefined;
  readonly tie: string | undefined;
  readonly limit: number;
}

const sliceOf = prepared((sql, { workspaceId, teamId, seen, endsBy, soFar, after, tie, limit }: SliceOf) => {
  const part = listed(sql, { workspaceId, teamId, seen, endsBy, soFar }).limit(limit, spelledOut);
  if (after !== undefined) part.whereRaw('(l.listed_name, l.team_id) > (?, ?)', [after, tie as string]);
  return present(sql, part, soFar);
});

interface SliceRow extends NamesRow {
  readonly team_id: TeamId;
  readonly listed_name: string;
}

export class KnexTeamAccess implements TeamWorkspaceRepository {
  constructor(
    private readonly db: Statements,
    private readonly now: () => Instant,
  ) {}

  async findFor(actor: Actor, id: TeamWorkspaceId): Promise<WithStanding<TeamWorkspaceView> | undefined> {
    await this.db.runLater(locked(this.db, { id }));
    const seen = await findWithStanding(this.db, actor, { id });
    const view = seen?.subject.teamWorkspace;
    return view && { subject: view, standing: { ...seen.standing, team: seen.subject.team } };
  }

  holder(holder: AccessHolder, workspaceId: WorkspaceId): Promise<WithStanding<HolderView> | undefined> {
    return holders[holder.kind](this.db, actingFor(holder), { id: workspaceId, holder: holder.id });
  }

  add({ state }: TeamWorkspace): Promise<void> {
    const { id, teamId, workspaceId } = state;
    const row = {
      id,
      team_id: teamId,
      workspace_id: workspaceId,
      ...changeableToRow(state),
      granted_at: this.now(),
    };
    const taken = {
      team_id: () => alreadyTaken('team', 'Team'),
      team_workspaces_workspace_id: () => alreadyTaken('team', 'Team'),
    };
    return this.db.runLater(inserted(this.db, 'team_workspaces', row), mapTaken(taken));
  }

  save({ state }: TeamWorkspace): Promise<void> {
    const { id } = state;
    const stale = () => staleRow({ table: 'team_workspaces', id });
    const row = { id, ...changeableToRow(state), granted_at: this.now() };
    return this.db.runLater(changed(this.db, row), mapMissing('revision', stale));
  }

  async remove(id: TeamWorkspaceId): Promise<boolean> {
    return (await this.db.run(this.db.sql('team_workspaces').where({ id }).delete())) > 0;
  }

  async due(limit: number): Promise<readonly TeamWorkspaceId[]> {
    const rows = await this.db.all<{ id: TeamWorkspaceId }>(due(this.db, { soFar: this.db.present.soFar(), limit }));
    return rows.map(({ id }) => id);
  }

  async findDue(
    sought: { readonly id: TeamWorkspaceId } | { readonly teamId: TeamId; readonly workspaceId: WorkspaceId },
  ): Promise<TeamWorkspace | undefined> {
    const { id, teamId, workspaceId } = { id: undefined, teamId: undefined, workspaceId: undefined, ...sought };
    const soFar = this.db.present.soFar();
    const row = await this.db.first<object>(dueRow(this.db, { id, teamId, workspaceId, soFar }));
    return row && TeamWorkspace.restore(accessRows.read(row));
  }

  async page(filter: TeamAccessFilter, page: PageRequest): Promise<Page<TeamWorkspaceView>> {
    const { sql, present: at } = this.db;
    const soFar = at.soFar();
    const matching = listed(sql, filterFrom(filter, soFar));
    const found = await pageOf(this.db, matching, (part) => present(sql, part, soFar), viewFrom, page);
    return { ...found, items: found.items.filter((view) => view !== undefined) };
  }

  async slice(filter: TeamAccessFilter, after: Place | undefined, limit: number): Promise<Slice<TeamWorkspaceView>> {
    // One extra row shows whether there are more.
    const part = {
      ...filterFrom(filter, this.db.present.soFar()),
      after: after?.name,
      tie: after?.tie,
      limit: limit + 1,
    };
    const rows = await this.db.all<SliceRow>(sliceOf(this.db, part));
    const end = rows.length > limit ? rows[limit - 1] : undefined;
    const items = rows.slice(0, limit).flatMap((row) => viewFrom(row) ?? []);
    return { items, last: end && { name: end.listed_name, tie: end.team_id } };
  }
}
