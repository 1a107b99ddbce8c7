import type { Knex } from 'knex';
import type { OrganizationRunFilter, RunFilter } from '../../../../../../application/ports/repositories/filters.js';
import type { Page, PageRequest, UncountedPage } from '../../../../../../application/ports/repositories/page.js';
import type {
  QueuedRun,
  RunCapacity,
  RunQueries,
  RunRepository,
  RunScope,
  WorkspaceActivity,
} from '../../../../../../application/ports/repositories/run-repository.js';
import {
  type Actor,
  type Agent,
  type ConfigurationVersionId,
  type Instant,
  notFound,
  type OrganizationId,
  Run,
  type RunId,
  type RunState,
  type RunStatus,
  runStatusesHoldingWorkspace,
  runStatusesInProgress,
  runStatusesUnderLease,
  type Standing,
  type VersionFactsGathered,
  type WithStanding,
  type WorkspaceId,
  type WorkspaceVisibility,
  waitingRunStatuses,
} from '../../../../../../domain/index.js';
import { columnsFrom, inserted, prepared } from '../../../engine/prepared.js';
import { columnsOf, pageOf, type Statements, spelledOut, throwIfStale } from '../../../engine/statements.js';
import { workspacesThrough } from '../../authorization/grant-rows.js';
import { seeing, standingOnEach } from '../../authorization/standing.js';
import { isOneOf, notPlanOnly } from '../workspaces/current-run.js';
import { activeWorkspaces } from '../workspaces/knex-workspaces.js';
import { narrows, runsOfOrganization, someRunsOf } from './run-lists.js';
import {
  activityOf,
  claimableBy,
  countWaiting,
  type Placed,
  placed,
  positions,
  queued,
  queuedByStatus,
} from './run-queue.js';
import { runRows } from './run-rows.js';

const changeable = runRows.only(
  'status',
  'hasChanges',
  'cancelRequested',
  'decisions',
  'planned',
  'applied',
  'failure',
  'ownFiles',
  'lease',
  'statusTimestamps',
  'revision',
);

const restored = (row: object): Run => Run.restore(runRows.read(row));

/** A workspace's counter with one of its runs, or with none when the page lies past the end. */
type CountedRow = { readonly last_run_sequence: number; readonly id: RunId | null };

/** Runs `r` of living workspaces `w`. */
const activeRuns = (sql: Knex): Knex.QueryBuilder =>
  activeWorkspaces(sql('runs as r').join('workspaces as w', 'w.id', 'r.workspace_id'));

const byId = (sql: Knex, { id }: { readonly id: RunId }): Knex.QueryBuilder =>
  activeRuns(sql)
    .where('r.id', id)
    .select(...columnsOf('r', runRows.columns));

const run = prepared(byId);
const findWithStanding = seeing('workspace', byId, restored);

/** Sequences are dense, so a page is a range of them below the counter: nothing is counted, and nothing skipped. */
const runsInRange = prepared(
  (sql, range: { readonly workspaceId: WorkspaceId; readonly skipped: number; readonly reached: number }) =>
    activeWorkspaces(sql('workspaces as w'))
      .leftJoin('runs as r', (on) =>
        on
          .on('r.workspace_id', 'w.id')
          .on('r.sequence', '<=', sql.raw('w.last_run_sequence - cast(? as bigint)', [range.skipped]))
          .on('r.sequence', '>', sql.raw('w.last_run_sequence - cast(? as bigint)', [range.reached])),
      )
      .where('w.id', range.workspaceId)
      .select(...columnsOf('r', runRows.columns), 'w.last_run_sequence')
      .orderBy('r.sequence', 'desc'),
);

const withExpiredLease = prepared((sql, { now, limit }: { readonly now: Instant; readonly limit: number }) =>
  activeRuns(sql)
    .where('r.lease_expires_at', '<=', now)
    .select('r.id')
    .orderBy(['r.lease_expires_at', 'r.id'])
    .limit(limit, spelledOut),
);

const updateRun = prepared((sql, row: { readonly id: RunId; readonly revision_before: number }) =>
  sql('runs').where({ id: row.id, revision: row.revision_before }).update(columnsFrom(row, changeable.columns)),
);

const takeSequence = prepared((sql, { id }: { readonly id: WorkspaceId }) => {
  const activeOrganization = sql('organizations as o')
    .whereRaw('o.id = workspaces.organization_id')
    .whereNull('o.deleted_at')
    .select('o.id');
  const task = sql('workspace_tasks as a').whereRaw('a.workspace_id = workspaces.id').select('a.id').limit(1);
  return sql('workspaces')
    .where({ id, deleted_at: null })
    .whereExists(activeOrganization)
    .update({ last_run_sequence: sql.raw('last_run_sequence + 1') })
    .returning(['last_run_sequence', sql.raw('(?) as task', [task])] as string[]);
});

const firstOfVersions = prepared((sql, { ids }: { readonly ids: readonly ConfigurationVersionId[] }) => {
  const earliest = sql('runs as e')
    .whereRaw('e.configuration_version_id = r.configuration_version_id')
    .min('e.sequence');
  return activeRuns(sql)
    .whereIn('r.configuration_version_id', ids)
    .where('r.sequence', earliest)
    .select(...columnsOf('r', runRows.columns));
});

const factsOfVersion = prepared((sql, { id }: { readonly id: ConfigurationVersionId }) => {
  const runs = () => sql('runs').where('configuration_version_id', id).select('id').limit(1);
  return sql.select({
    current: activeWorkspaces(sql('workspaces as w'))
      .join('configuration_versions as v', 'v.workspace_id', 'w.id')
      .where('v.id', id)
      .select('w.current_configuration_version_id'),
    used: runs(),
    // Named one by one, and not as "none of the completed ones", so that an index finds them among any number.
    in_progress: runs().whereIn('status', runStatusesInProgress),
  });
});

export class KnexRuns implements RunRepository, RunQueries {
  constructor(private readonly db: Statements) {}

  async find(id: RunId): Promise<Run | undefined> {
    const row = await this.db.first<object>(run(this.db, { id }));
    return row && restored(row);
  }

  findFor(actor: Actor, id: RunId): Promise<WithStanding<Run> | undefined> {
    return findWithStanding(this.db, actor, { id });
  }

  findByLease(digest: string): Promise<Run | undefined> {
    return this.firstOf(this.living().where('r.lease_digest', digest));
  }

  async add({ state }: Run): Promise<void> {
    await this.db.runLater(inserted(this.db, 'runs', runRows.write(state)));
  }

  save({ state }: Run): Promise<void> {
    const row = { ...changeable.write(state), id: state.id, revision_before: state.revision - 1 };
    return throwIfStale({ table: 'runs', id: state.id }, this.db.run(updateRun(this.db, row)));
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

  anyApplying(scope: RunScope): Promise<boolean> {
    return this.any(within(scope, this.living().whereRaw("r.status = 'applying'")));
  }

  async takeSequence(workspaceId: WorkspaceId): Promise<{ sequence: number; hasTasks: boolean }> {
    const row = await this.db.first<{ last_run_sequence: number; task: string | null }>(
      takeSequence(this.db, { id: workspaceId }),
    );
    if (row === undefined) throw notFound();
    return { sequence: row.last_run_sequence, hasTasks: row.task !== null };
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

  async before({ state }: Run, limit: number): Promise<readonly Run[]> {
    const others = (statuses: readonly RunStatus[]) =>
      this.living()
        .where('r.workspace_id', state.workspaceId)
        .whereNot('r.id', state.id)
        .whereRaw(notPlanOnly)
        .whereRaw(isOneOf(statuses))
        .select(...columnsOf('r', runRows.columns));
    const waiting = others(waitingRunStatuses).where('r.sequence', '<', state.sequence).orderBy('r.sequence');
    const rows = await this.db.all<object>(waiting.limit(limit - 1));
    return [...rows, ...(await this.db.all<object>(others(runStatusesHoldingWorkspace)))].map(restored);
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
    return (await this.db.first<{ id: RunId }>(claimableBy(this.db.sql, agent).select('r.id').limit(1)))?.id;
  }

  async withExpiredLease(now: Instant, limit: number): Promise<readonly RunId[]> {
    return (await this.db.all<{ id: RunId }>(withExpiredLease(this.db, { now, limit }))).map(({ id }) => id);
  }

  countWaiting(max: number): Promise<ReadonlyMap<RunStatus, number>> {
    return countWaiting(this.db, max);
  }

  async among(ids: readonly RunId[]): Promise<readonly RunState[]> {
    if (ids.length === 0) return [];
    const runs = this.living().whereIn('r.id', ids);
    return (await this.db.all<object>(runs.select(...columnsOf('r', runRows.columns)))).map(runRows.read);
  }

  async page(workspaceId: WorkspaceId, page: PageRequest, filter: RunFilter = {}): Promise<Page<RunState>> {
    if (narrows(filter)) return someRunsOf(this.db, workspaceId, filter, page);
    const { number, size } = page;
    const range = { workspaceId, skipped: (number - 1) * size, reached: number * size };
    const rows = await this.db.all<CountedRow>(runsInRange(this.db, range));
    const items = rows.flatMap((row) => (row.id === null ? [] : runRows.read(row)));
    return { number, size, total: rows[0]?.last_run_sequence ?? 0, items };
  }

  pageOfOrganization(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
    filter: OrganizationRunFilter = {},
  ): Promise<UncountedPage<WithStanding<RunState>>> {
    return runsOfOrganization(this.db, { organizationId, standing, visibility, filter }, page);
  }

  async queue(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
  ): Promise<Page<WithStanding<QueuedRun>>> {
    const { sql } = this.db;
    const places = placed(queued(sql, organizationId), sql);
    const runs = sql.from(places.as('q')).join('runs as r', 'r.id', 'q.id');
    if (visibility !== 'all') {
      const granted = workspacesThrough(this.db, visibility.throughTeams);
      runs.whereIn('q.workspace_id', granted);
    }
    const found = await pageOf(
      this.db,
      runs,
      (matching) => matching.select(...columnsOf('r', runRows.columns), 'q.position').orderBy('q.position'),
      (row: Placed): QueuedRun => ({ run: runRows.read(row), position: Number(row.position) }),
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

  activityOf(ids: readonly WorkspaceId[]): Promise<ReadonlyMap<WorkspaceId, WorkspaceActivity>> {
    return activityOf(this.db, ids);
  }

  async firstOfVersions(
    ids: readonly ConfigurationVersionId[],
  ): Promise<ReadonlyMap<ConfigurationVersionId, RunState>> {
    if (ids.length === 0) return new Map();
    const rows = await this.db.all<{ readonly configuration_version_id: ConfigurationVersionId }>(
      firstOfVersions(this.db, { ids }),
    );
    return new Map(rows.map((row) => [row.configuration_version_id, runRows.read(row)]));
  }

  private async firstOf(runs: Knex.QueryBuilder): Promise<Run | undefined> {
    const row = await this.db.first<object>(runs.select(...columnsOf('r', runRows.columns)).limit(1));
    return row && restored(row);
  }

  private async any(runs: Knex.QueryBuilder): Promise<boolean> {
    return (await this.db.first(runs.select('r.id').limit(1))) !== undefined;
  }

  private living(): Knex.QueryBuilder {
    return activeRuns(this.db.sql);
  }
}

function within(scope: RunScope, runs: Knex.QueryBuilder): Knex.QueryBuilder {
  if ('organizationId' in scope) return runs.where('w.organization_id', scope.organizationId);
  return runs.where('r.workspace_id', scope.workspaceId);
}
