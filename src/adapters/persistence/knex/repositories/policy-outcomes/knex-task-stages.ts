import type { Knex } from 'knex';
import type { Page, PageRequest } from '../../../../../application/ports/repositories/page.js';
import type { TaskStageRepository } from '../../../../../application/ports/repositories/policy-repository.js';
import type {
  Actor,
  LocatedEvaluation,
  OutcomeFilter,
  PolicyEvaluation,
  PolicyEvaluationId,
  PolicySetOutcome,
  PolicySetOutcomeId,
  RunId,
  TaskResultId,
  TaskStage,
  TaskStageId,
  TaskStageSummary,
  WithStanding,
} from '../../../../../domain/index.js';
import { inRunOrder } from '../../../../../domain/supporting/run-tasks/task-stage-name.js';
import { ofPage, type Part, partOf } from '../../engine/lists.js';
import { inserted, prepared } from '../../engine/prepared.js';
import { rowsOf } from '../../engine/rows.js';
import { columnsOf, countOf, type Statements, throwIfStale } from '../../engine/statements.js';
import { seeing } from '../authorization/standing.js';
import {
  dropResultOutcomes,
  resultsOf,
  rowsOfResults,
  saveResults,
} from '../supporting/run-tasks/knex-task-results.js';
import { activeWorkspaces } from '../supporting/workspaces/knex-workspaces.js';
import { changeableEvaluation, evaluationFrom, locatedRows } from './evaluation-rows.js';
import {
  onlySelected,
  type PolicyResultRow,
  policiesToRows,
  policyFrom,
  policyResultColumns,
  setRows,
  setToRow,
} from './outcome-rows.js';

const stageRows = rowsOf<Omit<TaskStage, 'evaluations' | 'results'>>((row, as) => ({
  id: row.id,
  runId: row.run_id,
  stage: row.stage,
  status: row.status,
  statusTimestamps: as.json(row.status_timestamps),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  revision: row.revision,
}));

/** The number of results is stored, so that those of a stage without run tasks are not looked for. */
interface StageRow {
  readonly results: number;
}
const stageColumns = [...stageRows.columns, 'results'];

const changeableStage = stageRows.only('status', 'statusTimestamps', 'updatedAt', 'revision');

/** The number of an evaluation's outcomes, with one of them, or with none when the page is past the end. */
type CountedRow = { readonly total: number; readonly id: PolicySetOutcomeId | null; readonly position: number };

/** SQLite takes at most 500 listed rows, and both databases limit the values in one statement. */
const rowsInserted = 100;

const inLivingWorkspaces = (stages: Knex.QueryBuilder): Knex.QueryBuilder =>
  activeWorkspaces(stages.join('runs as r', 'r.id', 's.run_id').join('workspaces as w', 'w.id', 'r.workspace_id'));

/** Task stages `s` of workspaces `w` that are not deleted. */
const activeStages = (sql: Knex): Knex.QueryBuilder => inLivingWorkspaces(sql('task_stages as s'));

/** Policy evaluations `e` of workspaces `w` that are not deleted. */
const activeEvaluations = (sql: Knex): Knex.QueryBuilder =>
  inLivingWorkspaces(sql('policy_evaluations as e').join('task_stages as s', 's.id', 'e.task_stage_id'));

const stagesOfRun = prepared((sql, { id }: { readonly id: RunId }) =>
  activeStages(sql)
    .where('s.run_id', id)
    .select(...columnsOf('s', stageColumns)),
);

const idsOfRuns = prepared((sql, { ids }: { readonly ids: readonly RunId[] }) =>
  activeStages(sql).whereIn('s.run_id', ids).select('s.id', 's.run_id', 's.stage'),
);

/** A stage with one of its evaluations and one of its results, as far as it has any. */
interface SummaryRow {
  readonly id: TaskStageId;
  readonly evaluation: PolicyEvaluationId | null;
  readonly result: TaskResultId | null;
}

const idsIn = <Id>(ids: readonly (Id | null)[]): { readonly id: Id }[] =>
  [...new Set(ids)].flatMap((id) => (id === null ? [] : { id }));

const summariesOfRuns = prepared((sql, { ids }: { readonly ids: readonly RunId[] }) =>
  activeStages(sql)
    .leftJoin('policy_evaluations as e', 'e.task_stage_id', 's.id')
    .leftJoin('task_results as t', (on) => on.on('t.task_stage_id', 's.id').on('s.results', '>', sql.raw('0')))
    .whereIn('s.run_id', ids)
    .select(...columnsOf('s', stageRows.columns), { evaluation: 'e.id', result: 't.id' })
    .orderBy(['e.kind', 'e.id', 't.position']),
);

const findStage = seeing(
  'workspace',
  (sql, { id }: { readonly id: TaskStageId }) =>
    activeStages(sql)
      .where('s.id', id)
      .select(...columnsOf('s', stageColumns)),
  (row: StageRow) => ({ ...stageRows.read(row), results: row.results }),
);

const findEvaluation = seeing(
  'workspace',
  (sql, { id }: { readonly id: PolicyEvaluationId }) =>
    activeEvaluations(sql)
      .where('e.id', id)
      .select(...columnsOf('e', locatedRows.columns)),
  locatedRows.read,
);

const findOutcome = seeing(
  'workspace',
  (sql, { id }: { readonly id: PolicySetOutcomeId }) =>
    activeEvaluations(sql)
      .join('policy_set_outcomes as q', 'q.policy_evaluation_id', 'e.id')
      .where('q.id', id)
      .select(...columnsOf('q', setRows.columns)),
  setRows.read,
);

/** By kind. */
const evaluationsOf = prepared((sql, { id }: { readonly id: TaskStageId }) =>
  sql('policy_evaluations')
    .where('task_stage_id', id)
    .select('policy_sets', ...locatedRows.columns)
    .orderBy(['kind', 'id']),
);

/** Positions are dense, so a page is a range of them: nothing is counted, and nothing skipped. */
const outcomesInRange = prepared(
  (sql, range: { readonly id: PolicyEvaluationId; readonly first: number; readonly end: number }) => {
    const last = sql('policy_set_outcomes as n').whereRaw('n.policy_evaluation_id = e.id').max('n.position');
    return activeEvaluations(sql)
      .leftJoin('policy_set_outcomes as q', (on) =>
        on
          .on('q.policy_evaluation_id', 'e.id')
          .on('q.position', '>=', sql.raw('cast(? as bigint)', [range.first]))
          .on('q.position', '<', sql.raw('cast(? as bigint)', [range.end])),
      )
      .where('e.id', range.id)
      .select(...columnsOf('q', setRows.columns), { total: sql.raw('coalesce(? + 1, 0)', [last]) })
      .orderBy('q.position');
  },
);

/** With the place of its set instead of the set's id: of many rows, a text more is a tenth of what they cost. */
const policiesInRange = prepared(
  (sql, range: { readonly id: PolicyEvaluationId; readonly first: number; readonly end: number }) =>
    sql('policy_set_outcomes as q')
      .join('policy_outcomes as p', 'p.policy_set_outcome_id', 'q.id')
      .where('q.policy_evaluation_id', range.id)
      .where('q.position', '>=', range.first)
      .where('q.position', '<', range.end)
      .select({ set: 'q.position' }, ...columnsOf('p', policyResultColumns))
      .orderBy(['q.position', 'p.position']),
);

const policiesOf = prepared((sql, { ids }: { readonly ids: readonly PolicySetOutcomeId[] }) =>
  sql('policy_outcomes')
    .whereIn('policy_set_outcome_id', ids)
    .select('policy_set_outcome_id', ...policyResultColumns)
    .orderBy(['policy_set_outcome_id', 'position']),
);

export class KnexTaskStages implements TaskStageRepository {
  constructor(private readonly db: Statements) {}

  async findFor(actor: Actor, id: TaskStageId): Promise<WithStanding<TaskStage> | undefined> {
    const seen = await findStage(this.db, actor, { id });
    if (seen === undefined) return undefined;
    return { ...seen, subject: await this.whole(seen.subject) };
  }

  findEvaluationFor(actor: Actor, id: PolicyEvaluationId): Promise<WithStanding<LocatedEvaluation> | undefined> {
    return findEvaluation(this.db, actor, { id });
  }

  async findOutcomeFor(actor: Actor, id: PolicySetOutcomeId): Promise<WithStanding<PolicySetOutcome> | undefined> {
    const seen = await findOutcome(this.db, actor, { id });
    if (seen === undefined) return undefined;
    const [subject] = await this.withPolicies([seen.subject]);
    return subject && { ...seen, subject };
  }

  async ofRun(id: RunId): Promise<readonly TaskStage[]> {
    const stages: TaskStage[] = [];
    for (const row of await this.db.all<StageRow>(stagesOfRun(this.db, { id }))) {
      stages.push(await this.whole({ ...stageRows.read(row), results: row.results }));
    }
    return inRunOrder(stages);
  }

  async idsOfRuns(ids: readonly RunId[]): Promise<ReadonlyMap<RunId, readonly TaskStageId[]>> {
    if (ids.length === 0) return new Map();
    const rows = await this.db.all<Pick<TaskStage, 'id' | 'stage'> & { readonly run_id: RunId }>(
      idsOfRuns(this.db, { ids }),
    );
    const ofRuns = Map.groupBy(rows, (row) => row.run_id);
    return new Map([...ofRuns].map(([id, stages]) => [id, inRunOrder(stages).map((stage) => stage.id)]));
  }

  async ofRuns(ids: readonly RunId[]): Promise<readonly TaskStageSummary[]> {
    if (ids.length === 0) return [];
    const rows = await this.db.all<SummaryRow>(summariesOfRuns(this.db, { ids }));
    return Array.from(Map.groupBy(rows, ({ id }) => id).values(), (ofStage) => ({
      ...stageRows.read(ofStage[0] as object),
      evaluations: idsIn(ofStage.map(({ evaluation }) => evaluation)),
      results: idsIn(ofStage.map(({ result }) => result)),
    }));
  }

  async add(stage: TaskStage): Promise<void> {
    const row = stageRows.write(stage);
    await this.db.runLater(inserted(this.db, 'task_stages', { ...row, results: stage.results.length }));
    for (const { policySets, ...evaluation } of stage.evaluations) {
      const row = locatedRows.write({ ...evaluation, taskStageId: stage.id });
      await this.db.runLater(
        inserted(this.db, 'policy_evaluations', { ...row, policy_sets: JSON.stringify(policySets) }),
      );
    }
    await this.insert('task_results', rowsOfResults(stage));
    const archives = stage.evaluations.flatMap(({ policySets }) => policySets.flatMap(({ archive }) => archive ?? []));
    await this.insert(
      'policy_set_version_runs',
      archives.map(({ versionId }) => ({ policy_set_version_id: versionId, run_id: stage.runId })),
    );
  }

  async save(stage: TaskStage): Promise<void> {
    const { sql } = this.db;
    const update = sql('task_stages')
      .where({ id: stage.id, revision: stage.revision - 1 })
      .update(changeableStage.write(stage));
    await throwIfStale({ table: 'task_stages', id: stage.id }, this.db.run(update));
    for (const evaluation of stage.evaluations) {
      const own = sql('policy_evaluations').where('id', evaluation.id);
      await this.db.run(own.update(changeableEvaluation.write(evaluation)));
    }
    await saveResults(this.db, stage);
  }

  async addOutcomes(outcomes: readonly PolicySetOutcome[]): Promise<void> {
    await this.insert('policy_set_outcomes', outcomes.map(setToRow));
    await this.insert('policy_outcomes', outcomes.flatMap(policiesToRows));
  }

  async dropOutcomes(stage: TaskStage): Promise<void> {
    const { sql } = this.db;
    const ids = stage.evaluations.map(({ id }) => id);
    const sets = () => sql('policy_set_outcomes').whereIn('policy_evaluation_id', ids);
    await this.db.run(sql('policy_outcomes').whereIn('policy_set_outcome_id', sets().select('id')).delete());
    await this.db.run(sets().delete());
    await dropResultOutcomes(this.db, stage);
  }

  async outcomes(
    id: PolicyEvaluationId,
    filters: readonly OutcomeFilter[],
    page: PageRequest,
  ): Promise<Page<PolicySetOutcome>> {
    if (filters.length === 0) return this.pageOfAll(id, page);
    const found = await this.pageOfMatching(id, filters, page);
    return { ...found, items: await this.withPolicies(found.items) };
  }

  private async pageOfAll(id: PolicyEvaluationId, { number, size }: PageRequest): Promise<Page<PolicySetOutcome>> {
    const range = { id, first: (number - 1) * size, end: number * size };
    const rows = await this.db.all<CountedRow>(outcomesInRange(this.db, range));
    const total = rows[0]?.total ?? 0;
    if (total <= range.first) return { number, size, total, items: [] };
    const said = await this.db.all<PolicyResultRow & { readonly set: number }>(policiesInRange(this.db, range));
    const ofSet = Map.groupBy(said, (row) => row.set);
    const items = rows.flatMap((row) =>
      row.id === null ? [] : { ...setRows.read(row), outcomes: (ofSet.get(row.position) ?? []).map(policyFrom) },
    );
    return { number, size, total, items };
  }

  private async pageOfMatching(
    id: PolicyEvaluationId,
    filters: readonly OutcomeFilter[],
    page: PageRequest,
  ): Promise<Page<Omit<PolicySetOutcome, 'outcomes'>>> {
    const { sql } = this.db;
    const matching = sql('policy_set_outcomes as q')
      .where('q.policy_evaluation_id', id)
      .whereExists(activeEvaluations(sql).where('e.id', id).select('e.id'))
      .where((any) => {
        for (const filter of filters) any.orWhere((one) => onlySelected(one, filter));
      });
    const total = await countOf(this.db, matching);
    const rows = (part: Part) => {
      const ids = part((way) => matching.clone().select('q.id').orderBy('q.position', way));
      const sets = ofPage(sql('policy_set_outcomes as l'), ids, 'l');
      return sets.select(...columnsOf('l', setRows.columns)).orderBy('l.position');
    };
    return partOf(this.db, total, rows, setRows.read, page);
  }

  private async withPolicies(sets: readonly Omit<PolicySetOutcome, 'outcomes'>[]): Promise<PolicySetOutcome[]> {
    if (sets.length === 0) return [];
    const rows = await this.db.all<PolicyResultRow & { readonly policy_set_outcome_id: PolicySetOutcomeId }>(
      policiesOf(this.db, { ids: sets.map(({ id }) => id) }),
    );
    const ofSet = Map.groupBy(rows, (row) => row.policy_set_outcome_id);
    return sets.map((set) => ({ ...set, outcomes: (ofSet.get(set.id) ?? []).map(policyFrom) }));
  }

  /** Only after the plan are policies evaluated. */
  private async whole({ results, ...stage }: ReturnType<typeof stageRows.read> & StageRow): Promise<TaskStage> {
    return {
      ...stage,
      evaluations: stage.stage === 'post_plan' ? await this.evaluationsOf(stage.id) : [],
      results: results === 0 ? [] : await resultsOf(this.db, stage.id),
    };
  }

  private async evaluationsOf(id: TaskStageId): Promise<PolicyEvaluation[]> {
    const rows = await this.db.all<{ readonly policy_sets: string }>(evaluationsOf(this.db, { id }));
    return rows.map(evaluationFrom);
  }

  private async insert(table: string, rows: readonly object[]): Promise<void> {
    for (let start = 0; start < rows.length; start += rowsInserted) {
      await this.db.runLater(this.db.sql(table).insert(rows.slice(start, start + rowsInserted)));
    }
  }
}
