import type { Knex } from 'knex';
import type { WorkspaceActivity } from '../../../../../../application/ports/repositories/run-repository.js';
import {
  type Agent,
  type OrganizationId,
  queuedRunStatuses,
  type RunId,
  type RunStatus,
  runStatusesUnderLease,
  type StateVersionId,
  type WorkspaceId,
  waitingRunStatuses,
} from '../../../../../../domain/index.js';
import { idsIn } from '../../../engine/lists.js';
import { prepared } from '../../../engine/prepared.js';
import type { Statements } from '../../../engine/statements.js';
import { holdingAndWaiting, isOneOf } from '../workspaces/current-run.js';
import { activeWorkspaces, agentPoolOf, executionModeOf } from '../workspaces/knex-workspaces.js';

/** Waiting for an agent. */
export const claimable: readonly RunStatus[] = ['plan_queued', 'apply_queued'];

/**
 * Reads only the index of the organization's queue: runs that are on hold, finished, or in another queue are not read.
 */
export const queued = (sql: Knex, organizationId: OrganizationId | Knex.QueryBuilder): Knex.QueryBuilder =>
  activeWorkspaces(sql('runs as r').crossJoin(sql.raw('workspaces as w')).whereRaw('w.id = r.workspace_id'))
    .whereRaw(isOneOf(queuedRunStatuses))
    .where('r.organization_id', organizationId);

export interface Placed {
  /** Postgres returns a bigint as text. */
  readonly position: number | string;
}

const executed = isOneOf(runStatusesUnderLease);

/** The queue that `runs` is. */
export const placed = (runs: Knex.QueryBuilder, sql: Knex): Knex.QueryBuilder =>
  runs.select('r.id', 'r.workspace_id', {
    position: sql.raw(`row_number() over (order by case when ${executed} then 0 else 1 end, r.created_at, r.id)`),
  });

export const positions = prepared(
  (sql, { workspaceId, ids }: { readonly workspaceId: WorkspaceId; ids: readonly RunId[] }) => {
    const organization = sql('workspaces').where('id', workspaceId).select('organization_id');
    return sql
      .from(placed(queued(sql, organization), sql).as('q'))
      .whereIn('q.id', ids)
      .select('q.id', 'q.position');
  },
);

export const queuedByStatus = prepared((sql, { organizationId }: { readonly organizationId: OrganizationId }) =>
  queued(sql, organizationId).groupBy('r.status').select('r.status').count({ total: '*' }),
);

interface ActivityRow {
  readonly id: WorkspaceId;
  readonly holding: RunId | null;
  readonly waiting: RunId | null;
  readonly held: RunId | null;
  readonly latest: RunId | null;
  readonly runs: number;
  readonly state: StateVersionId | null;
  readonly resources: number | null;
  readonly variables: string | null;
}

const variableIds = `(select string_agg(v.id, ' ') from variables as v where v.workspace_id = w.id)`;

const activities = prepared((sql, { ids }: { readonly ids: readonly WorkspaceId[] }) => {
  const runs = () => sql('runs as r').whereRaw('r.workspace_id = w.id');
  const current = () =>
    sql('state_versions as sv').whereRaw('sv.workspace_id = w.id').whereRaw('sv.sequence = w.last_state_sequence');
  return sql('workspaces as w')
    .whereIn('w.id', ids)
    .select('w.id', {
      ...holdingAndWaiting(sql, 'id'),
      held: sql('current_runs as k').whereRaw('k.workspace_id = w.id').select('k.held_run_id'),
      latest: runs().whereRaw('r.sequence = w.last_run_sequence').select('r.id'),
      runs: 'w.last_run_sequence',
      state: current().select('sv.id'),
      resources: current()
        .join('state_version_contents as c', 'c.state_version_id', 'sv.id')
        .select('c.resource_count'),
      variables: sql.raw(variableIds),
    });
});

export async function activityOf(
  db: Statements,
  ids: readonly WorkspaceId[],
): Promise<ReadonlyMap<WorkspaceId, WorkspaceActivity>> {
  if (ids.length === 0) return new Map();
  return new Map((await db.all<ActivityRow>(activities(db, { ids }))).map((row) => [row.id, activityFrom(row)]));
}

const activityFrom = ({
  holding,
  waiting,
  held,
  latest,
  runs,
  state,
  resources,
  variables,
}: ActivityRow): WorkspaceActivity => ({
  workingRunId: holding,
  currentRunId: holding ?? waiting ?? held,
  latestRunId: latest,
  runsCount: runs,
  stateVersionId: state,
  resourceCount: resources,
  variableIds: idsIn(variables),
});

/** Restricts workspaces `w` of organizations `o` to those that the agent's pool serves, according to `serves`. */
export function servedBy(
  workspaces: Knex.QueryBuilder,
  sql: Knex,
  { poolId, organizationId }: Pick<Agent, 'poolId' | 'organizationId'>,
): Knex.QueryBuilder {
  if (organizationId === null) return workspaces.whereRaw(`${executionModeOf} = 'remote'`);
  const listed = (list: 'allowed' | 'excluded') =>
    sql('agent_pool_workspaces as l')
      .whereRaw('l.workspace_id = w.id')
      .where({ 'l.agent_pool_id': poolId, 'l.list': list })
      .select('l.workspace_id');
  const ofProject = sql('agent_pool_projects as l')
    .whereRaw('l.project_id = w.project_id')
    .where('l.agent_pool_id', poolId)
    .select('l.project_id');
  const wholeOrganization = sql('agent_pools as p')
    .where('p.id', poolId)
    .whereRaw('p.organization_scoped = TRUE')
    .select('p.id');
  return workspaces
    .where('w.organization_id', organizationId)
    .whereRaw(`${executionModeOf} = 'agent'`)
    .whereRaw(`${agentPoolOf} = ?`, [poolId])
    .whereNotExists(listed('excluded'))
    .where((either) => either.whereExists(wholeOrganization).orWhereExists(listed('allowed')).orWhereExists(ofProject));
}

/** The runs that agents of the pool may claim, in the order in which they claim them. */
export const claimableBy = (sql: Knex, agent: Pick<Agent, 'poolId' | 'organizationId'>): Knex.QueryBuilder => {
  // A cross join keeps SQLite from starting with every workspace of the organization and sorting the result.
  const inWorkspaces = sql('runs as r').crossJoin(sql.raw('workspaces as w')).whereRaw('w.id = r.workspace_id');
  const runs = activeWorkspaces(inWorkspaces).whereRaw(isOneOf(claimable));
  return servedBy(runs, sql, agent).orderBy(['r.created_at', 'r.id']);
};

/** Runs that wait for their turn, and those that wait for an agent: each in the order of the index of no others. */
const waiting = (sql: Knex): readonly Knex.QueryBuilder[] => [
  sql('runs as r').whereRaw(isOneOf(waitingRunStatuses)).orderBy(['r.workspace_id', 'r.sequence']),
  sql('runs as r').whereRaw(isOneOf(claimable)).orderBy(['r.created_at', 'r.id']),
];

/** `max` bounds what is counted of each kind. */
export async function countWaiting(db: Statements, max: number): Promise<ReadonlyMap<RunStatus, number>> {
  const counted = new Map<RunStatus, number>();
  for (const runs of waiting(db.sql)) {
    const rows = await db.all<{ status: RunStatus; total: number | string }>(
      db.sql
        .from(runs.select('r.status').limit(max).as('w'))
        .groupBy('w.status')
        .select('w.status')
        .count({ total: '*' }),
    );
    for (const { status, total } of rows) counted.set(status, Number(total));
  }
  return counted;
}
