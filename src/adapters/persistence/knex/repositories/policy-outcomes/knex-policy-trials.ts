import type { Knex } from 'knex';
import type { Page, PageRequest } from '../../../../../application/ports/repositories/page.js';
import type {
  KeptPlan,
  ListedTrialPlan,
  PolicyTrialRepository,
  TrialCount,
} from '../../../../../application/ports/repositories/policy-trial-repository.js';
import type {
  Actor,
  Agent,
  AppliedPolicySet,
  Instant,
  OrganizationId,
  OutcomeStatus,
  PolicySetId,
  PolicySetOutcomeId,
  PolicyTrial,
  PolicyTrialId,
  RecordedOutcome,
  RunId,
  TokenOwner,
  TrialLease,
  TrialPart,
  TrialPlan,
  TrialProgress,
  TrialResult,
  TrialVerdict,
  WithStanding,
  WorkspaceVisibility,
} from '../../../../../domain/index.js';
import { newestFirst, ofOrganization } from '../../engine/lists.js';
import { inserted, prepared } from '../../engine/prepared.js';
import { rowsOf } from '../../engine/rows.js';
import { columnsOf, pageOf, type Statements, spelledOut, throwIfStale } from '../../engine/statements.js';
import { workspacesThrough } from '../authorization/grant-rows.js';
import { seeing } from '../authorization/standing.js';
import { servedBy } from '../supporting/runs/run-queue.js';
import { activeWorkspaces } from '../supporting/workspaces/knex-workspaces.js';
import { type PolicyResultRow, policyFrom, policyResultColumns } from './outcome-rows.js';

const trialRows = rowsOf<PolicyTrial>((row, as) => ({
  id: row.id,
  organizationId: row.organization_id,
  policySetId: row.policy_set_id,
  status: row.status,
  failure: row.failure,
  policies: as.json(row.policies),
  policyToolVersion: row.policy_tool_version,
  parameters: as.json(row.parameters),
  archive: { sha256: row.archive_sha256, bytes: row.archive_bytes },
  requestedBy: { kind: row.requested_by_kind, id: row.requested_by },
  evaluatedSeconds: row.evaluated_seconds,
  dueAt: row.due_at,
  statusTimestamps: as.json(row.status_timestamps),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  revision: row.revision,
}));

const changeable = trialRows.only(
  'status',
  'failure',
  'evaluatedSeconds',
  'dueAt',
  'statusTimestamps',
  'updatedAt',
  'revision',
);

const planRows = rowsOf<TrialPlan>((row, as) => ({
  trialId: row.trial_id,
  runId: row.run_id,
  workspaceId: row.workspace_id,
  position: row.position,
  before: as.group(row.before_outcome_id, {
    outcomeId: row.before_outcome_id,
    status: row.before_status,
    policyToolVersion: row.before_version,
  }),
  now: as.group(row.verdict, {
    verdict: row.verdict,
    reason: row.reason,
    policyToolVersion: row.now_version,
    outcomes: as.json(row.outcomes),
  }),
}));

const result = planRows.only('now');

const partRows = rowsOf<TrialPart>((row, as) => ({
  trialId: row.trial_id,
  workspaceId: row.workspace_id,
  lease: as.group(row.lease_pool_id, {
    poolId: row.lease_pool_id,
    agent: row.lease_agent,
    digest: row.lease_digest,
    expiresAt: row.lease_expires_at,
  }),
}));

const lease = partRows.only('lease');

/** Trials `t` of living organizations `o`. */
const living = (sql: Knex): Knex.QueryBuilder =>
  sql('policy_trials as t').join('organizations as o', 'o.id', 't.organization_id').whereNull('o.deleted_at');

const findWithStanding = seeing(
  'organization',
  (sql, { id }: { readonly id: PolicyTrialId }) =>
    living(sql)
      .where('t.id', id)
      .select(...columnsOf('t', trialRows.columns)),
  trialRows.read,
);

/** Plans `p` in living workspaces `w`. */
const plansOfTrial = (sql: Knex, id: PolicyTrialId): Knex.QueryBuilder =>
  activeWorkspaces(sql('policy_trial_plans as p').join('workspaces as w', 'w.id', 'p.workspace_id')).where(
    'p.trial_id',
    id,
  );

const byLease = prepared((sql, { digest }: { readonly digest: string }) =>
  sql('policy_trial_parts').where('lease_digest', digest).select(partRows.columns),
);

/** The newest outcomes that agents have reported, with the places of their sets in the evaluation. */
interface RecordedRow {
  readonly run_id: RunId;
  readonly policy_sets: string;
  readonly outcome_id: PolicySetOutcomeId;
  readonly position: number;
  readonly status: OutcomeStatus;
  readonly policy_tool_version: string;
}

/** SQLite takes at most 500 listed rows. */
const rowsInserted = 100;

export class KnexPolicyTrials implements PolicyTrialRepository {
  constructor(private readonly db: Statements) {}

  findFor(actor: Actor, id: PolicyTrialId): Promise<WithStanding<PolicyTrial> | undefined> {
    return findWithStanding(this.db, actor, { id });
  }

  async findLocked(id: PolicyTrialId): Promise<PolicyTrial | undefined> {
    const { sql } = this.db;
    await this.db.runLater(sql('policy_trials').where('id', id).select('id').forNoKeyUpdate());
    const row = await this.db.first<object>(
      living(sql)
        .where('t.id', id)
        .select(...columnsOf('t', trialRows.columns)),
    );
    return row && trialRows.read(row);
  }

  page(organizationId: OrganizationId, page: PageRequest): Promise<Page<PolicyTrial>> {
    const listed = ofOrganization(this.db.sql, 'policy_trials', organizationId);
    const present = (part: Knex.QueryBuilder) => newestFirst(part.select(...columnsOf('l', trialRows.columns)), 'l');
    return pageOf(this.db, listed, present, trialRows.read, page);
  }

  async askersOfOpen(organizationId: OrganizationId): Promise<readonly TokenOwner[]> {
    await this.db.runLater(this.db.sql('organizations').where('id', organizationId).select('id').forNoKeyUpdate());
    const open = living(this.db.sql).where('t.organization_id', organizationId).whereNotNull('t.due_at');
    return this.db.all<TokenOwner>(open.select({ kind: 't.requested_by_kind', id: 't.requested_by' }));
  }

  async ended(now: Instant, before: Instant, limit: number) {
    const ids = async (found: Knex.QueryBuilder) =>
      (await this.db.all<{ readonly id: PolicyTrialId }>(found.select('id').limit(limit, spelledOut))).map(
        ({ id }) => id,
      );
    const trials = () => this.db.sql('policy_trials');
    return {
      overdue: await ids(trials().where('due_at', '<=', now).whereNotNull('due_at').orderBy('created_at')),
      old: await ids(trials().where('created_at', '<', before).orderBy('created_at')),
    };
  }

  async plansOf(runs: readonly RunId[], policySetId: PolicySetId | null): Promise<ReadonlyMap<RunId, KeptPlan>> {
    if (runs.length === 0) return new Map();
    const { sql } = this.db;
    const kept = await this.db.all<{ readonly run_id: RunId }>(
      sql('run_artifacts').whereIn('run_id', runs).where('name', 'plan-json-redacted').select('run_id'),
    );
    const before = policySetId === null ? new Map() : await this.recordedOf(runs, policySetId);
    const ids = new Set(kept.map(({ run_id }) => run_id));
    return new Map(runs.map((id) => [id, { kept: ids.has(id), before: before.get(id) ?? null }]));
  }

  private async recordedOf(runs: readonly RunId[], policySetId: PolicySetId): Promise<Map<RunId, RecordedOutcome>> {
    const rows = await this.db.all<RecordedRow>(
      this.db
        .sql('task_stages as s')
        .join('policy_evaluations as e', 'e.task_stage_id', 's.id')
        .join('policy_set_outcomes as q', 'q.policy_evaluation_id', 'e.id')
        .whereIn('s.run_id', runs)
        .select('s.run_id', 'e.policy_sets', { outcome_id: 'q.id' }, 'q.position', 'q.status', 'q.policy_tool_version'),
    );
    const ofSet = rows.filter(({ policy_sets, position }) => {
      const sets: readonly AppliedPolicySet[] = JSON.parse(policy_sets);
      return sets[position]?.id === policySetId;
    });
    return new Map(
      ofSet.map(({ run_id, outcome_id, status, policy_tool_version }) => [
        run_id,
        { outcomeId: outcome_id, status, policyToolVersion: policy_tool_version },
      ]),
    );
  }

  async add(trial: PolicyTrial, code: Uint8Array, plans: readonly TrialPlan[]): Promise<void> {
    const row = { ...trialRows.write(trial), code: Buffer.from(code).toString('base64') };
    await this.db.run(inserted(this.db, 'policy_trials', row));
    const workspaceIds = [...new Set(plans.map(({ workspaceId }) => workspaceId))];
    const parts = workspaceIds.map((workspaceId) => partRows.write({ trialId: trial.id, workspaceId, lease: null }));
    await this.insert('policy_trial_parts', parts);
    await this.insert('policy_trial_plans', plans.map(planRows.write));
  }

  async save(trial: PolicyTrial): Promise<void> {
    const { sql } = this.db;
    const { id, revision } = trial;
    const ended = trial.dueAt === null;
    const update = sql('policy_trials')
      .where({ id, revision: revision - 1 })
      .update({ ...changeable.write(trial), ...(ended && { code: null }) });
    await throwIfStale({ table: 'policy_trials', id }, this.db.run(update));
    if (!ended) return;
    const leased = sql('policy_trial_parts').where('trial_id', id).whereNotNull('lease_digest');
    await this.db.run(leased.update(lease.write({ lease: null })));
  }

  async remove(id: PolicyTrialId): Promise<void> {
    await this.db.run(this.db.sql('policy_trials').where({ id }).delete());
  }

  async code(id: PolicyTrialId): Promise<Uint8Array | undefined> {
    const row = await this.db.first<{ readonly code: string | null }>(
      living(this.db.sql).where('t.id', id).select('t.code'),
    );
    return row?.code == null ? undefined : Buffer.from(row.code, 'base64');
  }

  async counts(id: PolicyTrialId, visibility: WorkspaceVisibility): Promise<readonly TrialCount[]> {
    const rows = await this.db.all<{
      readonly before_status: OutcomeStatus | null;
      readonly verdict: TrialVerdict | null;
      readonly total: number | string;
    }>(
      this.visiblePlans(id, visibility)
        .groupBy('p.before_status', 'p.verdict')
        .select('p.before_status', 'p.verdict')
        .count({ total: '*' }),
    );
    return rows.map((row) => ({ before: row.before_status, now: row.verdict, plans: Number(row.total) }));
  }

  async results(id: PolicyTrialId, visibility: WorkspaceVisibility, page: PageRequest): Promise<Page<ListedTrialPlan>> {
    const present = (part: Knex.QueryBuilder) => part.select(...columnsOf('p', planRows.columns)).orderBy('p.position');
    const found = await pageOf(this.db, this.visiblePlans(id, visibility), present, planRows.read, page);
    const outcomeIds = found.items.flatMap(({ before }) => (before === null ? [] : before.outcomeId));
    const rows =
      outcomeIds.length === 0
        ? []
        : await this.db.all<PolicyResultRow & { readonly policy_set_outcome_id: PolicySetOutcomeId }>(
            this.db
              .sql('policy_outcomes')
              .whereIn('policy_set_outcome_id', outcomeIds)
              .select('policy_set_outcome_id', ...policyResultColumns)
              .orderBy(['policy_set_outcome_id', 'position']),
          );
    const recorded = Map.groupBy(rows, (row) => row.policy_set_outcome_id);
    const items = found.items.map((plan) => ({
      ...plan,
      recorded: (recorded.get(plan.before?.outcomeId ?? '') ?? []).map(policyFrom),
    }));
    return { ...found, items };
  }

  async nextPart(agent: Pick<Agent, 'poolId' | 'organizationId'>, now: Instant): Promise<TrialPart | undefined> {
    const { sql } = this.db;
    // A cross join keeps SQLite from starting with every workspace of the organization.
    const parts = sql('policy_trials as t')
      .join('policy_trial_parts as a', 'a.trial_id', 't.id')
      .crossJoin(sql.raw('workspaces as w'))
      .whereRaw('w.id = a.workspace_id')
      .whereNotNull('t.due_at')
      .where((free) => free.whereNull('a.lease_digest').orWhere('a.lease_expires_at', '<=', now))
      .whereExists(
        sql('policy_trial_plans as p')
          .whereRaw('p.trial_id = a.trial_id and p.workspace_id = a.workspace_id and p.verdict is null')
          .select('p.run_id'),
      );
    const free = servedBy(activeWorkspaces(parts), sql, agent)
      .select(...columnsOf('a', partRows.columns))
      .orderBy(['t.created_at', 't.id', 'a.workspace_id'])
      .limit(1, spelledOut);
    const row = await this.db.first<object>(free);
    return row && partRows.read(row);
  }

  async partByLease(digest: string): Promise<TrialPart | undefined> {
    const row = await this.db.first<object>(byLease(this.db, { digest }));
    return row && partRows.read(row);
  }

  async saveLease(
    { trialId, workspaceId }: Pick<TrialPart, 'trialId' | 'workspaceId'>,
    next: TrialLease | null,
  ): Promise<void> {
    const row = this.db.sql('policy_trial_parts').where({ trial_id: trialId, workspace_id: workspaceId });
    await this.db.run(row.update(lease.write({ lease: next })));
  }

  async waitingPlans({
    trialId,
    workspaceId,
  }: Pick<TrialPart, 'trialId' | 'workspaceId'>): Promise<readonly TrialPlan[]> {
    const waiting = plansOfTrial(this.db.sql, trialId)
      .where('p.workspace_id', workspaceId)
      .whereNull('p.verdict')
      .select(...columnsOf('p', planRows.columns))
      .orderBy('p.position');
    return (await this.db.all<object>(waiting)).map(planRows.read);
  }

  async findPlan(
    { trialId, workspaceId }: Pick<TrialPart, 'trialId' | 'workspaceId'>,
    runId: RunId,
  ): Promise<TrialPlan | undefined> {
    const row = await this.db.first<object>(
      plansOfTrial(this.db.sql, trialId)
        .where({ 'p.workspace_id': workspaceId, 'p.run_id': runId })
        .select(...columnsOf('p', planRows.columns)),
    );
    return row && planRows.read(row);
  }

  async keepResult({ trialId, runId }: Pick<TrialPlan, 'trialId' | 'runId'>, now: TrialResult): Promise<boolean> {
    const waiting = this.db.sql('policy_trial_plans').where({ trial_id: trialId, run_id: runId }).whereNull('verdict');
    return (await this.db.run(waiting.update(result.write({ now })))) > 0;
  }

  async progress(id: PolicyTrialId): Promise<TrialProgress> {
    const { sql } = this.db;
    const waiting = plansOfTrial(sql, id).whereNull('p.verdict');
    const leased = sql('policy_trial_parts').where('trial_id', id).whereNotNull('lease_digest');
    const row = await this.db.first<{ readonly waiting: number | string; readonly leased: number | string }>(
      sql.select({ waiting: waiting.count('*'), leased: leased.count('*') }),
    );
    return { waiting: Number(row?.waiting), leased: Number(row?.leased) };
  }

  private visiblePlans(id: PolicyTrialId, visibility: WorkspaceVisibility): Knex.QueryBuilder {
    const plans = plansOfTrial(this.db.sql, id);
    if (visibility !== 'all') plans.whereIn('w.id', workspacesThrough(this.db, visibility.throughTeams));
    return plans;
  }

  private async insert(table: string, rows: readonly object[]): Promise<void> {
    for (let start = 0; start < rows.length; start += rowsInserted) {
      await this.db.run(this.db.sql(table).insert(rows.slice(start, start + rowsInserted)));
    }
  }
}
