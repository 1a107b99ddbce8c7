import type { Knex } from 'knex';
import {
  caseless,
  type OrganizationRunFilter,
  type RunFilter,
} from '../../../../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type {
  OrganizationId,
  RunState,
  Standing,
  WithStanding,
  WorkspaceId,
  WorkspaceVisibility,
} from '../../../../../../domain/index.js';
import { ofPage } from '../../../engine/lists.js';
import { columnsOf, countOf, likeLiteral, type Statements, spelledOut } from '../../../engine/statements.js';
import { standingOnEach, workspacesThrough } from '../../authorization/standing.js';
import { activeWorkspaces, executedBy } from '../workspaces/knex-workspaces.js';
import { runRows } from './run-rows.js';

/** Whether the filter selects anything but all runs. */
export const narrows = (filter: OrganizationRunFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined);

/** The runs `r` that match. Statuses, sources, operations and times are found in an index; searches read the rows. */
function matching(sql: Knex, { statuses, sources, operations, since, before, ...searches }: RunFilter) {
  const runs = sql('runs as r');
  if (statuses !== undefined) runs.whereIn('r.status', statuses);
  if (sources !== undefined) runs.whereIn('r.source', sources);
  if (operations !== undefined) runs.whereIn('r.operation', operations);
  if (since !== undefined) runs.where('r.created_at', '>=', since);
  if (before !== undefined) runs.where('r.created_at', '<', before);
  return searched(sql, runs, searches);
}

/** Postgres rejects JSON that has half of a surrogate pair in any text. Knex reads a question mark without a backslash. */
const messageOnPostgres = String.raw`(
  case when position('\ud' in r.options) = 0 then r.options
    else regexp_replace(r.options, '(\?<!\\)((\?:\\\\)*)\\ud[89a-f][0-9a-f]{2}', '\1\\ufffd', 'g')
  end::json ->> 'message')`;

function searched(sql: Knex, runs: Knex.QueryBuilder, { search, user, commit }: RunFilter): Knex.QueryBuilder {
  if ((search ?? user ?? commit) === undefined) return runs;
  runs
    .leftJoin('ingress_attributes as i', 'i.configuration_version_id', 'r.configuration_version_id')
    // Members do not learn the name of a creator who has left the organization.
    .leftJoin('organization_memberships as m', (on) =>
      on
        .on('m.organization_id', 'r.organization_id')
        .on('m.user_id', 'r.created_by')
        .onVal('r.created_by_kind', 'user'),
    )
    .leftJoin('users as c', (on) => on.on('c.id', 'm.user_id').onNull('c.deleted_at'));
  const message = sql.client.driverName === 'pg' ? messageOnPostgres : "json_extract(r.options, '$.message')";
  const texts = {
    search: ['r.id', message, 'i.commit_sha', 'i.sender_username', 'c.username'],
    user: ['i.sender_username', 'c.username'],
    commit: ['i.commit_sha'],
  };
  for (const [name, part] of Object.entries({ search, user, commit })) {
    if (part === undefined) continue;
    const pattern = `%${likeLiteral(caseless(part))}%`;
    const among = texts[name as keyof typeof texts];
    runs.where((any) => {
      for (const text of among) any.orWhereRaw(`lower(${text}) like ? escape '!'`, [pattern]);
    });
  }
  return runs;
}

/** One page of runs `r`, the highest first. */
async function highestFirst(
  db: Statements,
  runs: Knex.QueryBuilder,
  column: 'sequence' | 'created_at',
  { number, size }: PageRequest,
  known?: number,
): Promise<Page<RunState>> {
  const total = known ?? (await countOf(db, runs));
  const offset = (number - 1) * size;
  if (offset >= total) return { number, size, total, items: [] };
  const inOrder = (query: Knex.QueryBuilder) => query.orderBy(`r.${column}`, 'desc').orderBy('r.id', 'desc');
  const ids = inOrder(runs.clone().select('r.id')).limit(size, spelledOut).offset(offset);
  const rows = inOrder(ofPage(db.sql('runs as r'), ids, 'r').select(...columnsOf('r', runRows.columns)));
  return { number, size, total, items: (await db.all<object>(rows)).map(runRows.read) };
}

export function someRunsOf(
  db: Statements,
  workspaceId: WorkspaceId,
  filter: RunFilter,
  page: PageRequest,
): Promise<Page<RunState>> {
  const { sql } = db;
  const workspace = activeWorkspaces(sql('workspaces as w')).where('w.id', workspaceId).select('w.id');
  const runs = matching(sql, filter).where('r.workspace_id', workspaceId).whereExists(workspace);
  return highestFirst(db, runs, 'sequence', page);
}

interface OrganizationRuns {
  readonly organizationId: OrganizationId;
  readonly standing: Standing;
  readonly visibility: WorkspaceVisibility;
  readonly filter: OrganizationRunFilter;
}

export async function runsOfOrganization(
  db: Statements,
  { organizationId, standing, visibility, filter: { workspaceNames, agentPoolNames, ...filter } }: OrganizationRuns,
  page: PageRequest,
): Promise<Page<WithStanding<RunState>>> {
  const { sql } = db;
  const workspaces = () => {
    const living = activeWorkspaces(sql('workspaces as w')).where('w.organization_id', organizationId);
    if (workspaceNames !== undefined) living.whereIn('w.name', workspaceNames);
    if (agentPoolNames !== undefined) {
      const pools = sql('agent_pools').where('organization_id', organizationId).whereIn('name', agentPoolNames);
      executedBy(sql, living, pools.select('id'));
    }
    if (visibility === 'all') return living;
    const granted = workspacesThrough(sql, visibility.throughTeams);
    return living.whereIn('w.id', granted);
  };
  const runs = matching(sql, filter)
    // As in the index of all runs of an organization, which is not that of its queue.
    .whereRaw("r.organization_id || '' = ?", [organizationId])
    .whereExists(workspaces().whereRaw('w.id = r.workspace_id').select('w.id'));
  const total = narrows(filter) ? undefined : await sumOfRuns(db, workspaces());
  const found = await highestFirst(db, runs, 'created_at', page, total);
  const standingOn = await standingOnEach(db, standing, [
    ...new Set(found.items.map(({ workspaceId }) => workspaceId)),
  ]);
  return { ...found, items: found.items.map((run) => ({ subject: run, standing: standingOn(run.workspaceId) })) };
}

/** Sequences are dense and no run goes before its workspace, so that runs need not be counted. */
async function sumOfRuns(db: Statements, workspaces: Knex.QueryBuilder): Promise<number> {
  const row = await db.first<{ total: number | string | null }>(workspaces.sum({ total: 'w.last_run_sequence' }));
  return Number(row?.total ?? 0);
}
