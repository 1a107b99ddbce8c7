import type { Knex } from 'knex';
import {
  caseless,
  type OrganizationRunFilter,
  type RunFilter,
} from '../../../../../../application/ports/repositories/filters.js';
import type { Page, PageRequest, UncountedPage } from '../../../../../../application/ports/repositories/page.js';
import type {
  OrganizationId,
  RunState,
  Standing,
  WithStanding,
  WorkspaceId,
  WorkspaceVisibility,
} from '../../../../../../domain/index.js';
import { ofPage, pageOfFound } from '../../../engine/lists.js';
import { onPostgres } from '../../../engine/on-postgres.js';
import { columnsOf, countOf, likeLiteral, pageOf, type Statements, spelledOut } from '../../../engine/statements.js';
import { workspacesThrough } from '../../authorization/grant-rows.js';
import { standingOnEach } from '../../authorization/standing.js';
import { activeWorkspaces, executedBy } from '../workspaces/knex-workspaces.js';
import { runRows } from './run-rows.js';

/** Whether the filter selects anything but all runs. */
export const narrows = (filter: RunFilter): boolean => Object.values(filter).some((value) => value !== undefined);

/** The runs `r` with such statuses, sources, operations and times, which are found in an index. */
function matching(sql: Knex, { statuses, sources, operations, since, before }: RunFilter): Knex.QueryBuilder {
  const runs = sql('runs as r');
  if (statuses !== undefined) runs.whereIn('r.status', statuses);
  if (sources !== undefined) runs.whereIn('r.source', sources);
  if (operations !== undefined) runs.whereIn('r.operation', operations);
  if (since !== undefined) runs.where('r.created_at', '>=', since);
  if (before !== undefined) runs.where('r.created_at', '<', before);
  return runs;
}

/** Postgres rejects JSON that has half of a surrogate pair in any text. Knex reads a question mark without a backslash. */
const messageOnPostgres = String.raw`(
  case when position('\ud' in r.options) = 0 then r.options
    else regexp_replace(r.options, '(\?<!\\)((\?:\\\\)*)\\ud[89a-f][0-9a-f]{2}', '\1\\ufffd', 'g')
  end::json ->> 'message')`;

const isSearch = ({ search, user, commit, agentPoolNames }: OrganizationRunFilter): boolean =>
  (search ?? user ?? commit ?? agentPoolNames) !== undefined;

/** Keeps runs `r` of workspaces that such an agent pool serves, which looks the workspace of each up. */
function servedBy(sql: Knex, runs: Knex.QueryBuilder, { agentPoolNames }: OrganizationRunFilter): Knex.QueryBuilder {
  if (agentPoolNames === undefined) return runs;
  const pools = sql('agent_pools as ap')
    .whereRaw('ap.organization_id = r.organization_id')
    .whereIn('ap.name', agentPoolNames);
  const workspace = activeWorkspaces(sql('workspaces as w')).whereRaw('w.id = r.workspace_id');
  return runs.whereExists(executedBy(sql, workspace, pools.select('ap.id')).select('w.id'));
}

/** Keeps runs `r` with such texts, which reads their rows and others. */
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
  const message = onPostgres(sql) ? messageOnPostgres : "json_extract(r.options, '$.message')";
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

interface Selection {
  /** The runs `r` without what is searched in their texts. */
  readonly runs: () => Knex.QueryBuilder;
  readonly by: 'sequence' | 'created_at';
  readonly filter: OrganizationRunFilter;
}

const highest = (runs: Knex.QueryBuilder, by: Selection['by']): Knex.QueryBuilder =>
  runs.orderBy(`r.${by}`, 'desc').orderBy('r.id', 'desc');

/** The rows of a part of the selection, the highest first. */
const highestIn =
  (sql: Knex, { by }: Selection) =>
  (part: Knex.QueryBuilder): Knex.QueryBuilder =>
    highest(ofPage(sql('runs as r'), highest(part.select('r.id'), by), 'r'), by).select(
      ...columnsOf('r', runRows.columns),
    );

function highestFound(db: Statements, { runs, by, filter }: Selection, page: PageRequest): Promise<Page<RunState>> {
  const { sql } = db;
  const newest = () => highest(runs().select('r.id'), by);
  const among = (ids: Knex.QueryBuilder) =>
    searched(sql, servedBy(sql, ofPage(sql('runs as r'), ids, 'r'), filter), filter);
  const found = (ids: Knex.QueryBuilder) => highest(among(ids).select('r.id'), by);
  const rows = (ids: readonly string[]) =>
    highest(sql('runs as r').whereIn('r.id', ids), by).select(...columnsOf('r', runRows.columns));
  return pageOfFound(db, newest, found, rows, runRows.read, page);
}

export function someRunsOf(
  db: Statements,
  workspaceId: WorkspaceId,
  filter: RunFilter,
  page: PageRequest,
): Promise<Page<RunState>> {
  const { sql } = db;
  const workspace = () => activeWorkspaces(sql('workspaces as w')).where('w.id', workspaceId).select('w.id');
  const runs = () => matching(sql, filter).where('r.workspace_id', workspaceId).whereExists(workspace());
  const selection: Selection = { runs, by: 'sequence', filter };
  if (isSearch(filter)) return highestFound(db, selection, page);
  return pageOf(db, runs(), highestIn(sql, selection), runRows.read, page);
}

/** The runs of up to this number of workspaces are found workspace by workspace; those of more, among all of the organization. */
const few = 1_000;

interface OrganizationRuns {
  readonly organizationId: OrganizationId;
  readonly standing: Standing;
  readonly visibility: WorkspaceVisibility;
  readonly filter: OrganizationRunFilter;
}

async function uncountedPage(
  db: Statements,
  selection: Selection,
  page: PageRequest,
): Promise<UncountedPage<RunState>> {
  const { number, size } = page;
  if (isSearch(selection.filter)) {
    const { total, ...found } = await highestFound(db, selection, page);
    return { ...found, more: number * size < total };
  }
  const part = selection
    .runs()
    .limit(size + 1, spelledOut)
    .offset((number - 1) * size);
  const rows = await db.all<object>(highestIn(db.sql, selection)(part));
  return { ...page, items: rows.slice(0, size).map(runRows.read), more: rows.length > size };
}

export async function runsOfOrganization(
  db: Statements,
  { organizationId, standing, visibility, filter: { workspaceNames, ...filter } }: OrganizationRuns,
  page: PageRequest,
): Promise<UncountedPage<WithStanding<RunState>>> {
  const { sql } = db;
  const workspaces = () => {
    const living = activeWorkspaces(sql('workspaces as w'));
    if (workspaceNames !== undefined) living.whereIn('w.name', workspaceNames);
    if (visibility === 'all') return living.where('w.organization_id', organizationId);
    const granted = workspacesThrough(db, visibility.throughTeams);
    // Not a column alone, or SQLite would go through the organization's workspaces for a few ids.
    return living.whereRaw("w.organization_id || '' = ?", [organizationId]).whereIn('w.id', granted);
  };
  // As in the index of all runs of an organization, which is not that of its queue.
  const ofOrganization = () => matching(sql, filter).whereRaw("r.organization_id || '' = ?", [organizationId]);
  const removed = () =>
    sql('workspaces').where('organization_id', organizationId).whereNotNull('deleted_at').select('id');
  const organization = () => sql('organizations').where({ id: organizationId, deleted_at: null }).select('id');
  const isOfAll = visibility === 'all' && workspaceNames === undefined;
  const isOfFew = !isOfAll && (await countOf(db, workspaces())) <= few;
  const runs = () => {
    if (isOfFew) return matching(sql, filter).whereIn('r.workspace_id', workspaces().select('w.id'));
    // Not a column alone, or SQLite would go through the workspaces.
    if (!isOfAll) return ofOrganization().whereRaw("r.workspace_id || '' in (?)", [workspaces().select('w.id')]);
    return ofOrganization().whereNotIn('r.workspace_id', removed()).whereExists(organization());
  };
  const found = await uncountedPage(db, { runs, by: 'created_at', filter }, page);
  const standingOn = await standingOnEach(db, standing, [
    ...new Set(found.items.map(({ workspaceId }) => workspaceId)),
  ]);
  return { ...found, items: found.items.map((run) => ({ subject: run, standing: standingOn(run.workspaceId) })) };
}
