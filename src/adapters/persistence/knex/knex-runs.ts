import type { Knex } from 'knex';
import type { Page, PageRequest } from '../../../application/ports/page.js';
import type {
  QueuedRun,
  RunCapacity,
  RunLogs,
  RunQueries,
  RunRepository,
  RunScope,
} from '../../../application/ports/run-repository.js';
import {
  type Actor,
  type Agent,
  type AgentPoolId,
  type BundleKey,
  type ConfigurationVersionId,
  type Instant,
  type Lease,
  notFound,
  type OrganizationId,
  type Phase,
  queuedRunStatuses,
  Run,
  type RunId,
  type RunState,
  type RunStatus,
  runStatusesHoldingWorkspace,
  runStatusesInProgress,
  runStatusesUnderLease,
  type Seen,
  type Standing,
  type TokenOwner,
  type VersionFactsGathered,
  type WorkspaceId,
  type WorkspaceVisibility,
  waitingRunStatuses,
} from '../../../domain/index.js';
import { prepared } from './engine/prepared.js';
import { columnsOf, pageOf, type Statements, stale, unlessStale, unlessTaken } from './engine/statements.js';
import { executionModeOf, livingWorkspaces } from './knex-workspaces.js';
import { seeing, standingOnEach } from './standing.js';

interface RunRow {
  readonly id: RunId;
  readonly workspace_id: WorkspaceId;
  readonly configuration_version_id: ConfigurationVersionId;
  readonly sequence: number;
  readonly status: RunStatus;
  readonly source: RunState['source'];
  readonly options: string;
  readonly plan_only: boolean | number;
  readonly save_plan: boolean | number;
  readonly auto_apply: boolean | number;
  readonly created_by_kind: TokenOwner['kind'] | null;
  readonly created_by: string;
  readonly has_changes: boolean | number;
  readonly cancel_requested: boolean | number;
  readonly planned: string | null;
  readonly applied: string | null;
  readonly failure: string | null;
  readonly own_files: BundleKey | null;
  /** Postgres answers a bigint as text. Null for files that were fetched before it was recorded. */
  readonly own_files_bytes: number | string | null;
  readonly lease_pool_id: AgentPoolId | null;
  readonly lease_agent: string;
  readonly lease_digest: string;
  readonly lease_expires_at: Instant;
  readonly status_timestamps: string;
  readonly created_at: Instant;
  readonly revision: number;
}

const columns = [
  'id',
  'workspace_id',
  'configuration_version_id',
  'sequence',
  'status',
  'source',
  'options',
  'plan_only',
  'save_plan',
  'auto_apply',
  'created_by_kind',
  'created_by',
  'has_changes',
  'cancel_requested',
  'planned',
  'applied',
  'failure',
  'own_files',
  'own_files_bytes',
  'lease_pool_id',
  'lease_agent',
  'lease_digest',
  'lease_expires_at',
  'status_timestamps',
  'created_at',
  'revision',
] as const satisfies readonly (keyof RunRow)[];

const maybeToText = (value: object | null): string | null => value && JSON.stringify(value);

const changeableToRow = ({ lease, ...state }: RunState) => ({
  status: state.status,
  has_changes: state.hasChanges,
  cancel_requested: state.cancelRequested,
  planned: maybeToText(state.planned),
  applied: maybeToText(state.applied),
  failure: state.failure,
  own_files: state.ownFiles?.key ?? null,
  own_files_bytes: state.ownFiles?.bytes ?? null,
  lease_pool_id: lease?.poolId ?? null,
  lease_agent: lease?.agent ?? null,
  lease_digest: lease?.digest ?? null,
  lease_expires_at: lease?.expiresAt ?? null,
  status_timestamps: JSON.stringify(state.statusTimestamps),
  revision: state.revision,
});

const toRow = (state: RunState) => ({
  ...changeableToRow(state),
  id: state.id,
  workspace_id: state.workspaceId,
  configuration_version_id: state.configurationVersionId,
  sequence: state.sequence,
  source: state.source,
  options: JSON.stringify(state.options),
  plan_only: state.planOnly,
  save_plan: state.savePlan,
  auto_apply: state.autoApply,
  created_by_kind: state.createdBy?.kind ?? null,
  created_by: state.createdBy?.id ?? null,
  created_at: state.createdAt,
});

const leaseFromRow = (row: RunRow): Lease | null =>
  row.lease_pool_id && {
    poolId: row.lease_pool_id,
    agent: row.lease_agent,
    digest: row.lease_digest,
    expiresAt: row.lease_expires_at,
  };

const fromRow = (row: RunRow): RunState => ({
  id: row.id,
  workspaceId: row.workspace_id,
  configurationVersionId: row.configuration_version_id,
  sequence: row.sequence,
  status: row.status,
  source: row.source,
  options: JSON.parse(row.options),
  planOnly: Boolean(row.plan_only),
  savePlan: Boolean(row.save_plan),
  autoApply: Boolean(row.auto_apply),
  createdBy: row.created_by_kind && { kind: row.created_by_kind, id: row.created_by },
  hasChanges: Boolean(row.has_changes),
  cancelRequested: Boolean(row.cancel_requested),
  planned: row.planned && JSON.parse(row.planned),
  applied: row.applied && JSON.parse(row.applied),
  failure: row.failure,
  ownFiles: row.own_files && { key: row.own_files, bytes: Number(row.own_files_bytes ?? 0) },
  lease: leaseFromRow(row),
  statusTimestamps: JSON.parse(row.status_timestamps),
  createdAt: row.created_at,
  revision: row.revision,
});

const restoreFromRow = (row: RunRow): Run => Run.restore(fromRow(row));

// Spelled out and not bound, as `FALSE` is: a plan that must fit any value does not use a partial index.
const isOneOf = (statuses: readonly RunStatus[]): string =>
  `r.status in (${statuses.map((status) => `'${status}'`).join(', ')})`;
const notPlanOnly = 'r.plan_only = FALSE';

/** Waiting for an agent. */
const claimable: readonly RunStatus[] = ['plan_queued', 'apply_queued'];

/** A workspace's counter with one of its runs, or with none when the page lies past the end. */
type CountedRow = { readonly last_run_sequence: number } & (RunRow | { readonly id: null });

/** Runs `r` of living workspaces `w`. */
const livingRuns = (sql: Knex): Knex.QueryBuilder =>
  livingWorkspaces(sql('runs as r').join('workspaces as w', 'w.id', 'r.workspace_id'));

const byId = (sql: Knex, { id }: { readonly id: RunId }): Knex.QueryBuilder =>
  livingRuns(sql)
    .where('r.id', id)
    .select(...columnsOf('r', columns));

const run = prepared(byId);
const findSeen = seeing('workspace', byId, restoreFromRow);

/** Sequences are dense, so a page is a range of them below the counter: nothing is counted, and nothing skipped. */
const runsInRange = prepared(
  (sql, range: { readonly workspaceId: WorkspaceId; readonly skipped: number; readonly reached: number }) =>
    livingWorkspaces(sql('workspaces as w'))
      .leftJoin('runs as r', (on) =>
        on
          .on('r.workspace_id', 'w.id')
          .on('r.sequence', '<=', sql.raw('w.last_run_sequence - cast(? as bigint)', [range.skipped]))
          .on('r.sequence', '>', sql.raw('w.last_run_sequence - cast(? as bigint)', [range.reached])),
      )
      .where('w.id', range.workspaceId)
      .select(...columnsOf('r', columns), 'w.last_run_sequence')
      .orderBy('r.sequence', 'desc'),
);

const firstOfVersions = prepared((sql, { ids }: { readonly ids: readonly ConfigurationVersionId[] }) => {
  const earliest = sql('runs as e')
    .whereRaw('e.configuration_version_id = r.configuration_version_id')
    .min('e.sequence');
  return livingRuns(sql)
    .whereIn('r.configuration_version_id', ids)
    .where('r.sequence', earliest)
    .select(...columnsOf('r', columns));
});

const factsOfVersion = prepared((sql, { id }: { readonly id: ConfigurationVersionId }) => {
  const runs = () => sql('runs').where('configuration_version_id', id).select('id').limit(1);
  return sql.select({
    current: livingWorkspaces(sql('workspaces as w'))
      .join('configuration_versions as v', 'v.workspace_id', 'w.id')
      .where('v.id', id)
      .select('w.current_configuration_version_id'),
    used: runs(),
    // Named one by one, and not as "none of the completed ones", so that an index finds them among any number.
    in_progress: runs().whereIn('status', runStatusesInProgress),
  });
});

/** Read through the index of what is in the organization's queue: what rests or is over, or in another, is not looked at. */
const queued = (sql: Knex, organizationId: OrganizationId | Knex.QueryBuilder): Knex.QueryBuilder =>
  livingWorkspaces(sql('runs as r').crossJoin(sql.raw('workspaces as w')).whereRaw('w.id = r.workspace_id'))
    .whereRaw(isOneOf(queuedRunStatuses))
    .where('r.organization_id', organizationId);

interface Placed {
  /** Postgres answers a bigint as text. */
  readonly position: number | string;
}

const executed = isOneOf(runStatusesUnderLease);

/** The queue that `runs` is. */
const placed = (runs: Knex.QueryBuilder, sql: Knex): Knex.QueryBuilder =>
  runs.select('r.id', 'r.workspace_id', {
    position: sql.raw(`row_number() over (order by case when ${executed} then 0 else 1 end, r.created_at, r.id)`),
  });

const positions = prepared(
  (sql, { workspaceId, ids }: { readonly workspaceId: WorkspaceId; ids: readonly RunId[] }) => {
    const organization = sql('workspaces').where('id', workspaceId).select('organization_id');
    return sql
      .from(placed(queued(sql, organization), sql).as('q'))
      .whereIn('q.id', ids)
      .select('q.id', 'q.position');
  },
);

const queuedByStatus = prepared((sql, { organizationId }: { readonly organizationId: OrganizationId }) =>
  queued(sql, organizationId).groupBy('r.status').select('r.status').count({ total: '*' }),
);

const currentRuns = prepared((sql, { ids }: { readonly ids: readonly WorkspaceId[] }) => {
  const one = (statuses: readonly RunStatus[]) =>
    sql('runs as r')
      .whereRaw('r.workspace_id = w.id')
      .whereRaw(notPlanOnly)
      .whereRaw(isOneOf(statuses))
      .select('r.id')
      .orderBy('r.sequence')
      .limit(1);
  return sql('workspaces as w')
    .whereIn('w.id', ids)
    .select('w.id', { holding: one(runStatusesHoldingWorkspace), waiting: one(waitingRunStatuses) });
});

/** Keeps the workspaces `w` of organizations `o` that the agent's pool serves, as `serves` says. */
function servedBy(
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
  const wholeOrganization = sql('agent_pools as p')
    .where('p.id', poolId)
    .whereRaw('p.organization_scoped = TRUE')
    .select('p.id');
  return workspaces
    .where('w.organization_id', organizationId)
    .whereRaw(`${executionModeOf} = 'agent'`)
    .whereRaw('coalesce(w.agent_pool_id, o.default_agent_pool_id) = ?', [poolId])
    .whereNotExists(listed('excluded'))
    .where((either) => either.whereExists(wholeOrganization).orWhereExists(listed('allowed')));
}

export class KnexRuns implements RunRepository, RunQueries {
  constructor(private readonly db: Statements) {}

  async find(id: RunId): Promise<Run | undefined> {
    const row = await this.db.first<RunRow>(run(this.db, { id }));
    return row && restoreFromRow(row);
  }

  findFor(actor: Actor, id: RunId): Promise<Seen<Run> | undefined> {
    return findSeen(this.db, actor, { id });
  }

  findByLease(digest: string): Promise<Run | undefined> {
    return this.firstOf(this.living().where('r.lease_digest', digest));
  }

  async add({ state }: Run): Promise<void> {
    await this.db.run(this.db.sql('runs').insert(toRow(state)));
  }

  save({ state }: Run): Promise<void> {
    const update = this.db
      .sql('runs')
      .where({ id: state.id, revision: state.revision - 1 })
      .update(changeableToRow(state));
    return unlessStale({ table: 'runs', id: state.id }, this.db.run(update));
  }

  async aboutVersion(id: ConfigurationVersionId): Promise<VersionFactsGathered> {
    const row = await this.db.first<Record<'current' | 'used' | 'in_progress', string | null>>(
      factsOfVersion(this.db, { id }),
    );
    return {
      isCurrent: row?.current === id,
      runsInProgress: row?.in_progress != null,
      usedByRun: row?.used != null,
    };
  }

  anyInProgress(scope: RunScope): Promise<boolean> {
    return this.any(within(scope, this.living().whereIn('r.status', runStatusesInProgress)));
  }

  async takeSequence(workspaceId: WorkspaceId): Promise<number> {
    const { sql } = this.db;
    const livingOrganization = sql('organizations as o')
      .whereRaw('o.id = workspaces.organization_id')
      .whereNull('o.deleted_at')
      .select('o.id');
    const row = await this.db.first<{ last_run_sequence: number }>(
      sql('workspaces')
        .where({ id: workspaceId, deleted_at: null })
        .whereExists(livingOrganization)
        .update({ last_run_sequence: sql.raw('last_run_sequence + 1') })
        .returning('last_run_sequence'),
    );
    if (row === undefined) throw notFound();
    return row.last_run_sequence;
  }

  anotherHolds(workspaceId: WorkspaceId, except: RunId): Promise<boolean> {
    return this.any(
      this.living()
        .where('r.workspace_id', workspaceId)
        .whereNot('r.id', except)
        .whereRaw(notPlanOnly)
        .whereRaw(isOneOf(runStatusesHoldingWorkspace)),
    );
  }

  nextWaiting(workspaceId: WorkspaceId): Promise<Run | undefined> {
    return this.firstOf(
      this.living()
        .where('r.workspace_id', workspaceId)
        .whereRaw(notPlanOnly)
        .whereRaw(isOneOf(waitingRunStatuses))
        .orderBy('r.sequence'),
    );
  }

  async nextClaimable(agent: Pick<Agent, 'poolId' | 'organizationId'>): Promise<RunId | undefined> {
    const { sql } = this.db;
    // A cross join keeps SQLite from beginning with every workspace of the organization, and sorting what it finds.
    const inWorkspaces = sql('runs as r').crossJoin(sql.raw('workspaces as w')).whereRaw('w.id = r.workspace_id');
    const run = servedBy(livingWorkspaces(inWorkspaces).whereRaw(isOneOf(claimable)), sql, agent)
      .select('r.id')
      .orderBy(['r.created_at', 'r.id'])
      .limit(1);
    return (await this.db.first<{ id: RunId }>(run))?.id;
  }

  async withExpiredLease(now: Instant, limit: number): Promise<readonly RunId[]> {
    const rows = await this.db.all<{ id: RunId }>(
      this.living()
        .where('r.lease_expires_at', '<=', now)
        .select('r.id')
        .orderBy(['r.lease_expires_at', 'r.id'])
        .limit(limit),
    );
    return rows.map(({ id }) => id);
  }

  async countWaiting(most: number): Promise<ReadonlyMap<RunStatus, number>> {
    const { sql } = this.db;
    // In the order of the index that holds these runs and no others.
    const waiting = [
      sql('runs as r').whereRaw(isOneOf(waitingRunStatuses)).orderBy(['r.workspace_id', 'r.sequence']),
      sql('runs as r').whereRaw(isOneOf(claimable)).orderBy(['r.created_at', 'r.id']),
    ];
    const counted = new Map<RunStatus, number>();
    for (const runs of waiting) {
      const rows = await this.db.all<{ status: RunStatus; total: number | string }>(
        sql
          .from(runs.select('r.status').limit(most).as('w'))
          .groupBy('w.status')
          .select('w.status')
          .count({ total: '*' }),
      );
      for (const { status, total } of rows) counted.set(status, Number(total));
    }
    return counted;
  }

  async page(workspaceId: WorkspaceId, { number, size }: PageRequest): Promise<Page<RunState>> {
    const range = { workspaceId, skipped: (number - 1) * size, reached: number * size };
    const rows = await this.db.all<CountedRow>(runsInRange(this.db, range));
    const items = rows.flatMap((row) => (row.id === null ? [] : fromRow(row)));
    return { number, size, total: rows[0]?.last_run_sequence ?? 0, items };
  }

  async queue(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
  ): Promise<Page<Seen<QueuedRun>>> {
    const { sql } = this.db;
    const places = placed(queued(sql, organizationId), sql);
    const runs = sql.from(places.as('q')).join('runs as r', 'r.id', 'q.id');
    if (visibility !== 'all') {
      const granted = sql('team_workspaces').select('workspace_id').whereIn('team_id', visibility.throughTeams);
      runs.whereIn('q.workspace_id', granted);
    }
    const found = await pageOf(
      this.db,
      runs,
      (matching) => matching.select(...columnsOf('r', columns), 'q.position').orderBy('q.position'),
      (row: RunRow & Placed): QueuedRun => ({ run: fromRow(row), position: Number(row.position) }),
      page,
    );
    const workspaceIds = [...new Set(found.items.map(({ run }) => run.workspaceId))];
    const standingOn = await standingOnEach(this.db, standing, workspaceIds);
    const items = found.items.map((subject) => ({ subject, standing: standingOn(subject.run.workspaceId) }));
    return { ...found, items };
  }

  async positionsOf(workspaceId: WorkspaceId, ids: readonly RunId[]): Promise<ReadonlyMap<RunId, number>> {
    if (ids.length === 0) return new Map();
    const rows = await this.db.all<Placed & { id: RunId }>(positions(this.db, { workspaceId, ids }));
    return new Map(rows.map(({ id, position }) => [id, Number(position)]));
  }

  async capacityOf(organizationId: OrganizationId): Promise<RunCapacity> {
    const rows = await this.db.all<{ status: RunStatus; total: number | string }>(
      queuedByStatus(this.db, { organizationId }),
    );
    const capacity = { pending: 0, running: 0 };
    for (const { status, total } of rows) {
      capacity[runStatusesUnderLease.includes(status) ? 'running' : 'pending'] += Number(total);
    }
    return capacity;
  }

  async currentOf(ids: readonly WorkspaceId[]): Promise<ReadonlyMap<WorkspaceId, RunId>> {
    if (ids.length === 0) return new Map();
    const rows = await this.db.all<{ id: WorkspaceId; holding: RunId | null; waiting: RunId | null }>(
      currentRuns(this.db, { ids }),
    );
    return new Map(
      rows.flatMap(({ id, holding, waiting }) => {
        const current = holding ?? waiting;
        return current === null ? [] : [[id, current] as const];
      }),
    );
  }

  async firstOfVersions(
    ids: readonly ConfigurationVersionId[],
  ): Promise<ReadonlyMap<ConfigurationVersionId, RunState>> {
    if (ids.length === 0) return new Map();
    const rows = await this.db.all<RunRow>(firstOfVersions(this.db, { ids }));
    return new Map(rows.map((row) => [row.configuration_version_id, fromRow(row)]));
  }

  private async firstOf(runs: Knex.QueryBuilder): Promise<Run | undefined> {
    const row = await this.db.first<RunRow>(runs.select(...columnsOf('r', columns)).limit(1));
    return row && restoreFromRow(row);
  }

  private async any(runs: Knex.QueryBuilder): Promise<boolean> {
    return (await this.db.first(runs.select('r.id').limit(1))) !== undefined;
  }

  private living(): Knex.QueryBuilder {
    return livingRuns(this.db.sql);
  }
}

function within(scope: RunScope, runs: Knex.QueryBuilder): Knex.QueryBuilder {
  if ('organizationId' in scope) return runs.where('w.organization_id', scope.organizationId);
  if ('workspaceId' in scope) return runs.where('r.workspace_id', scope.workspaceId);
  return runs.where('r.created_by', scope.createdBy);
}

interface ChunkRow {
  /** Postgres answers a bigint as text. */
  readonly start_byte: number | string;
  readonly end_byte: number | string;
  readonly bytes: Uint8Array;
}

/** One row for each time something was appended. */
export class KnexRunLogs implements RunLogs {
  constructor(private readonly db: Statements) {}

  async size(id: RunId, phase: Phase): Promise<number> {
    const last = this.chunks(id, phase).select('end_byte').orderBy('start_byte', 'desc').limit(1);
    return Number((await this.db.first<ChunkRow>(last))?.end_byte ?? 0);
  }

  async append(id: RunId, phase: Phase, offset: number, bytes: Uint8Array): Promise<void> {
    const outrun = () => stale(`the ${phase} log of ${id} was written by somebody else`);
    if ((await this.size(id, phase)) !== offset) throw outrun();
    if (bytes.length === 0) return;
    const insert = this.db.sql('run_log_chunks').insert({
      run_id: id,
      phase,
      start_byte: offset,
      end_byte: offset + bytes.length,
      bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    });
    await unlessTaken(this.db.run(insert), { run_log_chunks: outrun });
  }

  async read(id: RunId, phase: Phase, offset: number, limit: number): Promise<Uint8Array> {
    const end = offset + limit;
    // The chunk in which the range begins; none of those before it is looked at.
    const first = this.chunks(id, phase).where('start_byte', '<=', offset).max('start_byte');
    const chunks = await this.db.all<ChunkRow>(
      this.chunks(id, phase)
        .where('start_byte', '>=', first)
        .where('start_byte', '<', end)
        .where('end_byte', '>', offset)
        .select('start_byte', 'end_byte', 'bytes')
        .orderBy('start_byte'),
    );
    const parts = chunks.map(({ start_byte, bytes }) => {
      const start = Number(start_byte);
      return bytes.subarray(Math.max(offset - start, 0), end - start);
    });
    // Not the database driver's own kind of buffer.
    return new Uint8Array(Buffer.concat(parts));
  }

  async drop(id: RunId, phase: Phase): Promise<void> {
    await this.db.run(this.chunks(id, phase).delete());
  }

  private chunks(id: RunId, phase: Phase): Knex.QueryBuilder {
    return this.db.sql('run_log_chunks').where({ run_id: id, phase });
  }
}
