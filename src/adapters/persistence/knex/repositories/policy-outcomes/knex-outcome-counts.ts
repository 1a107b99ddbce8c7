import type { Knex } from 'knex';
import type {
  Day,
  OutcomeCount,
  OutcomeCounts,
  OutcomeCountsQuery,
  OutcomeGroup,
} from '../../../../../application/ports/repositories/outcome-counts.js';
import {
  DomainError,
  type Instant,
  type OrganizationId,
  type OutcomeSums,
  type TaskStageId,
  type WorkspaceId,
} from '../../../../../domain/index.js';
import { onPostgres } from '../../engine/on-postgres.js';
import { countOf, type Statements, spelledOut } from '../../engine/statements.js';
import { workspacesThrough } from '../authorization/grant-rows.js';
import { activeWorkspaces } from '../supporting/workspaces/knex-workspaces.js';
import {
  allWorkspaces,
  Changes,
  keyColumns,
  keyFrom,
  type SpanKey,
  type SumsRow,
  saveChanges,
} from './outcome-changes.js';
import { Groups } from './outcome-groups.js';
import { dayNumber, dayOfNumber, type Spans, spanLengths, spanOf, spansSince } from './outcome-spans.js';
import { addTo, changeOf, type OutcomeRow, PolicySums, sumNames } from './outcome-sums.js';

/** Reading 1,000 runs of ten policies each takes some 100 ms. */
const maxUncounted = 1_000;

/** The words of a partial index. */
const isUncounted = `s.stage = 'post_plan' and s.status not in ('pending', 'running')
  and (s.counted_as is null or s.counted_as <> s.status)`;

/** One transaction at a time adds up. The deletion of a workspace takes the same lock in a trigger. */
const tryLock = 'select pg_try_advisory_xact_lock(4711002, 0) as taken';

/** Either sums, of policies or of all together, or an outcome that is not in them. */
type Found = { readonly is_too_many: boolean | number | null } & (
  | (OutcomeSums & {
      readonly name: string | null;
      readonly workspace_id: WorkspaceId | null;
      readonly day: number | null;
      readonly is_subtracted: boolean | number;
      readonly policies: string | null;
      readonly created_at: null;
    })
  | (OutcomeRow & {
      readonly name: string;
      readonly workspace_id: WorkspaceId;
      readonly created_at: Instant;
      readonly counted_as: string | null;
    })
);

const signOf = (row: { readonly is_subtracted: boolean | number }): 1 | -1 => (row.is_subtracted ? -1 : 1);

/** Sums of workspaces, in rows `k`. */
interface SignedSums {
  readonly rows: Knex.QueryBuilder;
  readonly isSubtracted: boolean;
}

/** The columns that the database sums by. The sums of policies are in texts. */
const summedBy: Readonly<Partial<Record<OutcomeGroup, Readonly<Record<string, string>>>>> = {
  workspace: { name: 'v.name', workspace_id: 'v.id' },
  day: { day: 'k.day' },
};

/** A stage after the plan that ended, or waits for an override. */
interface EndedStage {
  readonly id: TaskStageId;
  readonly counted_as: string | null;
  readonly created_at: Instant;
  readonly organization_id: OrganizationId;
  readonly workspace_id: WorkspaceId;
  readonly speculative: boolean | number;
  readonly deleted_at: Instant | null;
}

export class KnexOutcomeCounts implements OutcomeCounts {
  constructor(private readonly db: Statements) {}

  async counts(query: OutcomeCountsQuery): Promise<readonly OutcomeCount[]> {
    const { sql } = this.db;
    const added = await this.addedUp(query);
    // One statement, so that it sees all of what is added up meanwhile, or nothing.
    const parts = [...added.flatMap((sums) => this.spansOf(query, sums)), this.others(query), this.tooMany(query)];
    const rows = await this.db.all<Found>(
      sql
        .with('visible', this.workspaces('visible', query))
        .with('hidden', this.workspaces('hidden', query))
        .unionAll(parts),
    );
    if (rows.some((row) => Boolean(row.is_too_many))) {
      throw new DomainError('policy-outcomes/uncounted', 'policy outcomes are still being added up; try again later');
    }
    const isByPolicy = summedBy[query.group] === undefined;
    const policies = new PolicySums();
    const groups = new Groups(query.group);
    for (const row of rows) {
      const of = { workspaceId: row.workspace_id, workspaceName: row.name };
      if (row.created_at !== null) {
        const change = changeOf(row, row.counted_as !== null);
        if (isByPolicy) policies.add(row.policy_set, row.policy, change);
        else groups.add({ ...of, day: row.created_at.slice(0, 10) }, change);
      } else if (isByPolicy) policies.addTexts(row.policies ?? '', signOf(row));
      else groups.add({ ...of, day: row.day === null ? null : dayOfNumber(row.day) }, row, signOf(row));
    }
    for (const { sums, ...of } of policies) groups.add(of, sums);
    return groups.all;
  }

  /**
   * The sums that together are those of the workspaces that the caller may read. A caller who may read most workspaces
   * gets those of all, less the others.
   */
  private async addedUp(query: OutcomeCountsQuery): Promise<readonly SignedSums[]> {
    const { sql } = this.db;
    const sums = () => sql('outcome_counts as k').where('k.organization_id', query.organizationId);
    // In this order also on SQLite.
    const sumsOf = (workspaces: 'visible' | 'hidden') =>
      sql(`${workspaces} as v`)
        .crossJoin(sql.raw('outcome_counts as k'))
        .where('k.organization_id', query.organizationId)
        .whereRaw('k.workspace_id = v.id');
    const isAll = query.visibility === 'all';
    if (query.group === 'workspace' || !(isAll || (await this.readsMost(query)))) {
      return [{ rows: sumsOf('visible'), isSubtracted: false }];
    }
    return [
      { rows: sums().where('k.workspace_id', allWorkspaces), isSubtracted: false },
      { rows: sums().whereRaw('k.leaving = TRUE'), isSubtracted: true },
      ...(isAll ? [] : [{ rows: sumsOf('hidden'), isSubtracted: true }]),
    ];
  }

  /** Each length of spans since the first day is a part of a union, and so a range of the key. */
  private spansOf({ group, from, speculative }: OutcomeCountsQuery, { rows, isSubtracted }: SignedSums) {
    const { sql } = this.db;
    const first = dayNumber(from);
    const spans: readonly Spans[] = group === 'day' ? [{ span: 1, first, before: undefined }] : spansSince(first);
    const parts = spans.map(({ span, first: since, before }) => {
      const part = rows.clone().where('k.span', span).where('k.day', '>=', since);
      if (before !== undefined) part.where('k.day', '<', before);
      if (!speculative) part.whereRaw('k.speculative = FALSE');
      return part;
    });
    const columns: Record<string, Knex.Raw | string> = {
      ...nulls(sql, 'name', 'workspace_id', 'day'),
      is_subtracted: sql.raw(isSubtracted ? 'TRUE' : 'FALSE'),
      ...nulls(sql, ...sumNames, 'policies', 'created_at', 'policy_set', 'policy', 'status', 'enforcement_level'),
      ...nulls(sql, 'is_overridden', 'counted_as', 'is_too_many'),
    };
    const keys = summedBy[group];
    // Few rows: each costs more than its text.
    if (keys === undefined) {
      return parts.map((part) => part.select({ ...columns, policies: sql.raw(`string_agg(k.policies, ',')`) }));
    }
    const names = Object.keys(keys);
    const all = sql.unionAll(parts.map((part) => part.select({ ...keys }, ...sumNames.map((name) => `k.${name}`))));
    for (const name of names) columns[name] = `s.${name}`;
    for (const name of sumNames) columns[name] = sql.raw('sum(??)', [`s.${name}`]);
    return [
      sql
        .from(all.as('s'))
        .select(columns)
        .groupBy(names.map((name) => `s.${name}`)),
    ];
  }

  private active(organizationId: OrganizationId): Knex.QueryBuilder {
    return activeWorkspaces(this.db.sql('workspaces as w')).where('w.organization_id', organizationId);
  }

  /** The workspaces that a caller who may not read all of them may read, or the others. */
  private workspaces(which: 'visible' | 'hidden', { organizationId, visibility }: OutcomeCountsQuery) {
    const rows = this.active(organizationId);
    if (visibility !== 'all') {
      const through = workspacesThrough(this.db, visibility.throughTeams);
      if (which === 'visible') rows.whereIn('w.id', through);
      else rows.whereNotIn('w.id', through);
    }
    return rows.select('w.id', 'w.name');
  }

  /** Whether the organization has at most twice the workspaces that the caller may read: looks at no more than those. */
  private async readsMost(query: OutcomeCountsQuery): Promise<boolean> {
    const read = await countOf(this.db, this.workspaces('visible', query).clear('select'));
    const more = this.active(query.organizationId)
      .select('w.id')
      .limit(1, spelledOut)
      .offset(2 * read, spelledOut);
    return (await this.db.first(more)) === undefined;
  }

  /**
   * The outcomes that are not added up, or not as what they are since they were overridden. Without an order and a limit,
   * Postgres would begin with all stages, or with all runs of the workspaces.
   */
  private others({ organizationId, visibility, from, speculative }: OutcomeCountsQuery): Knex.QueryBuilder {
    const { sql } = this.db;
    const rows = activeWorkspaces(
      withOutcomes(
        sql
          .from(
            this.uncounted(from)
              .select('s.id', 's.run_id', 's.created_at', 's.counted_as')
              .orderBy('s.created_at')
              .limit(maxUncounted, spelledOut)
              .as('s'),
          )
          .crossJoin(sql.raw('runs as r'))
          .whereRaw('r.id = s.run_id')
          .join('workspaces as w', 'w.id', 'r.workspace_id'),
      ),
    ).where('w.organization_id', organizationId);
    if (visibility !== 'all') rows.whereIn('w.id', workspacesThrough(this.db, visibility.throughTeams));
    if (!speculative) rows.whereRaw('r.plan_only = FALSE');
    return rows.select({
      name: 'w.name',
      workspace_id: 'w.id',
      ...nulls(sql, 'day', 'is_subtracted', ...sumNames, 'policies'),
      created_at: 's.created_at',
      ...outcomeColumns(sql),
      counted_as: 's.counted_as',
      ...nulls(sql, 'is_too_many'),
    });
  }

  /** One row, if more is not added up than a request may read. */
  private tooMany({ from }: OutcomeCountsQuery): Knex.QueryBuilder {
    const { sql } = this.db;
    const more = this.uncounted(from)
      .select('s.created_at')
      .orderBy('s.created_at')
      .limit(1, spelledOut)
      .offset(maxUncounted, spelledOut);
    return sql.from(more.as('m')).select({
      ...nulls(
        sql,
        'name',
        'workspace_id',
        'day',
        'is_subtracted',
        ...sumNames,
        'policies',
        'created_at',
        'policy_set',
      ),
      ...nulls(sql, 'policy', 'status', 'enforcement_level', 'is_overridden', 'counted_as'),
      is_too_many: sql.raw('TRUE'),
    });
  }

  async advance(oldest: Day, limit: number): Promise<number> {
    const { sql } = this.db;
    if (onPostgres(sql)) {
      const lock = await this.db.first<{ readonly taken: boolean }>(sql.raw(tryLock));
      if (lock?.taken !== true) return 0;
    }
    const leaving = await this.db.all<SpanKey & SumsRow>(
      sql('outcome_counts')
        .whereRaw('leaving = TRUE')
        .limit(limit, spelledOut)
        .select(...keyColumns, ...sumNames, 'policies'),
    );
    const ended = this.uncounted()
      .crossJoin(sql.raw('runs as r'))
      .whereRaw('r.id = s.run_id')
      .join('workspaces as w', 'w.id', 'r.workspace_id')
      .orderBy('s.created_at', 'desc')
      .limit(limit, spelledOut)
      .select('s.id', 's.counted_as', 's.created_at', 'w.organization_id', 'r.workspace_id', 'w.deleted_at', {
        speculative: 'r.plan_only',
      });
    // A stage that is being overridden is left for the next time.
    const stages = await this.db.all<EndedStage>(onPostgres(sql) ? ended.forUpdate('s').skipLocked() : ended);
    if (leaving.length === 0 && stages.length === 0) return 0;
    const changes = new Changes();
    for (const { policies, ...row } of leaving) {
      const all = changes.of({ ...keyFrom(row), workspace_id: allWorkspaces });
      addTo(all.sums, row, -1);
      all.policies.addTexts(policies, -1);
    }
    await this.addStages(
      changes,
      stages.filter((stage) => stage.deleted_at === null && stage.created_at >= oldest),
    );
    await saveChanges(this.db, changes);
    for (const row of leaving) await this.db.run(sql('outcome_counts').where(keyFrom(row)).delete());
    const ids = stages.map(({ id }) => id);
    if (ids.length > 0)
      await this.db.run(
        sql('task_stages')
          .whereIn('id', ids)
          .update({ counted_as: sql.ref('status') }),
      );
    return Math.max(leaving.length, stages.length);
  }

  async forget(oldest: Day, limit: number): Promise<number> {
    const { sql } = this.db;
    let left = limit;
    for (const span of spanLengths) {
      const rows = sql('outcome_counts')
        .where('span', span)
        .where('day', '<=', dayNumber(oldest) - span)
        .limit(left, spelledOut)
        .select(...keyColumns);
      for (const row of await this.db.all<SpanKey>(rows)) {
        await this.db.run(sql('outcome_counts').where(keyFrom(row)).delete());
        left -= 1;
      }
    }
    return limit - left;
  }

  private uncounted(from?: Day): Knex.QueryBuilder {
    const stages = this.db.sql('task_stages as s').whereRaw(isUncounted);
    return from === undefined ? stages : stages.where('s.created_at', '>=', from);
  }

  private async addStages(changes: Changes, stages: readonly EndedStage[]): Promise<void> {
    if (stages.length === 0) return;
    const { sql } = this.db;
    const byId = new Map(stages.map((stage) => [stage.id, stage]));
    const outcomes = withOutcomes(sql('task_stages as s').whereIn('s.id', [...byId.keys()]));
    const rows = await this.db.all<OutcomeRow & { readonly id: TaskStageId }>(
      outcomes.select({ id: 's.id', ...outcomeColumns(sql) }),
    );
    for (const row of rows) {
      const stage = byId.get(row.id) as EndedStage;
      const change = changeOf(row, stage.counted_as !== null);
      const { organization_id, speculative } = stage;
      for (const workspace_id of [allWorkspaces, stage.workspace_id] as const) {
        for (const span of spanLengths) {
          const day = spanOf(span, dayNumber(stage.created_at));
          const { sums, policies } = changes.of({ organization_id, workspace_id, span, day, speculative });
          addTo(sums, change);
          policies.add(row.policy_set, row.policy, change);
        }
      }
    }
  }
}

const typeOf: Readonly<Record<string, string>> = {
  day: 'integer',
  is_subtracted: 'boolean',
  is_overridden: 'boolean',
  is_too_many: 'boolean',
  ...Object.fromEntries(sumNames.map((name) => [name, 'integer'])),
};

/** Columns that a part of a union has not, of the type that the other part's have. */
const nulls = (sql: Knex, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, sql.raw(`cast(null as ${typeOf[name] ?? 'text'})`)]));

const outcomeColumns = (sql: Knex) => ({
  policy_set: 'q.policy_set_name',
  policy: 'p.policy_name',
  status: 'p.status',
  enforcement_level: 'p.enforcement_level',
  is_overridden: sql.raw(`(e.status = 'overridden')`),
});

/** A set that errored before any policy was evaluated has one row without a policy. */
const withOutcomes = (stages: Knex.QueryBuilder): Knex.QueryBuilder =>
  stages
    .join('policy_evaluations as e', 'e.task_stage_id', 's.id')
    .join('policy_set_outcomes as q', 'q.policy_evaluation_id', 'e.id')
    .leftJoin('policy_outcomes as p', 'p.policy_set_outcome_id', 'q.id')
    .whereRaw('(p.policy_set_outcome_id is not null or q.error is not null)');
