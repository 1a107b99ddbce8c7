import type { Knex } from 'knex';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type { TaskResultRepository } from '../../../../../../application/ports/repositories/policy-repository.js';
import type {
  Actor,
  Instant,
  LocatedResult,
  TaskResult,
  TaskResultId,
  TaskResultOutcome,
  TaskStage,
  TaskStageId,
  WithStanding,
} from '../../../../../../domain/index.js';
import { prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import { columnsOf, pageOf, type Statements, spelledOut } from '../../../engine/statements.js';
import { seeing } from '../../authorization/standing.js';
import { activeWorkspaces } from '../workspaces/knex-workspaces.js';

const resultRows = rowsOf<TaskResult>((row, as) => ({
  id: row.id,
  taskId: row.run_task_id,
  taskName: row.task_name,
  taskUrl: row.task_url,
  workspaceTaskId: row.workspace_task_id,
  enforcementLevel: row.enforcement_level,
  speculative: as.flag(row.speculative),
  status: row.status,
  message: row.message,
  url: row.url,
  tokenDigest: row.token_digest,
  calledAt: row.called_at,
  deadline: row.deadline,
  statusTimestamps: as.json(row.status_timestamps),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
}));

const changeable = resultRows.only(
  'status',
  'message',
  'url',
  'tokenDigest',
  'calledAt',
  'deadline',
  'statusTimestamps',
  'updatedAt',
);

const locatedRows = rowsOf<LocatedResult>((row, as) => ({
  ...resultRows.literal(row, as),
  taskStageId: as.joined(row.task_stage_id),
  runId: as.joined(row.run_id),
  stage: as.joined(row.stage),
}));

const ofStage = prepared((sql, { id }: { readonly id: TaskStageId }) =>
  sql('task_results')
    .where('task_stage_id', id)
    .select(...resultRows.columns)
    .orderBy('position'),
);

/** The results of a stage, in the order in which its tasks were attached. */
export const resultsOf = async (db: Statements, id: TaskStageId): Promise<readonly TaskResult[]> =>
  (await db.all<object>(ofStage(db, { id }))).map(resultRows.read);

export const rowsOfResults = ({ id, results }: TaskStage): readonly object[] =>
  results.map((result, position) => ({ ...resultRows.write(result), task_stage_id: id, position }));

export async function saveResults(db: Statements, { results }: TaskStage): Promise<void> {
  for (const result of results) {
    await db.run(db.sql('task_results').where('id', result.id).update(changeable.write(result)));
  }
}

export async function dropResultOutcomes(db: Statements, { results }: TaskStage): Promise<void> {
  const ids = results.map(({ id }) => id);
  if (ids.length > 0) await db.run(db.sql('task_result_outcomes').whereIn('task_result_id', ids).delete());
}

/** Task results `x` with their stages `s`, of living workspaces `w`. */
const living = (sql: Knex): Knex.QueryBuilder =>
  activeWorkspaces(
    sql('task_results as x')
      .join('task_stages as s', 's.id', 'x.task_stage_id')
      .join('runs as r', 'r.id', 's.run_id')
      .join('workspaces as w', 'w.id', 'r.workspace_id'),
  ).select(...columnsOf('x', resultRows.columns), 'x.task_stage_id', 's.run_id', 's.stage');

const findWithStanding = seeing(
  'workspace',
  (sql, { id }: { readonly id: TaskResultId }) => living(sql).where('x.id', id),
  locatedRows.read,
);

const byToken = prepared((sql, { digest }: { readonly digest: string }) => living(sql).where('x.token_digest', digest));

const overdue = prepared((sql, { now, limit }: { readonly now: Instant; readonly limit: number }) =>
  living(sql).where('x.deadline', '<=', now).orderBy(['x.deadline', 'x.id']).limit(limit, spelledOut),
);

const outcomeRows = rowsOf<TaskResultOutcome>((row, as) => ({
  outcomeId: row.outcome_id,
  description: row.description,
  body: row.body,
  url: row.url,
  tags: as.json(row.tags),
}));

export class KnexTaskResults implements TaskResultRepository {
  constructor(private readonly db: Statements) {}

  findFor(actor: Actor, id: TaskResultId): Promise<WithStanding<LocatedResult> | undefined> {
    return findWithStanding(this.db, actor, { id });
  }

  async find(id: TaskResultId): Promise<LocatedResult | undefined> {
    const row = await this.db.first<object>(living(this.db.sql).where('x.id', id));
    return row && locatedRows.read(row);
  }

  async byToken(digest: string): Promise<LocatedResult | undefined> {
    const row = await this.db.first<object>(byToken(this.db, { digest }));
    return row && locatedRows.read(row);
  }

  async overdue(now: Instant, limit: number): Promise<readonly LocatedResult[]> {
    return (await this.db.all<object>(overdue(this.db, { now, limit }))).map(locatedRows.read);
  }

  async endTask(of: Parameters<TaskResultRepository['endTask']>[0], now: Instant): Promise<void> {
    const { sql } = this.db;
    const its = 'taskId' in of ? { run_task_id: of.taskId } : { workspace_task_id: of.workspaceTaskId };
    const withToken = () => sql('task_results').where(its).whereNotNull('token_digest');
    const waiting = () => sql('task_results').where(its).whereNotNull('deadline');
    const stages = withToken().select('task_stage_id').union(waiting().select('task_stage_id'));
    // A save that is based on the tokens from before is refused, and tried again without them.
    await this.db.run(
      sql('task_stages')
        .whereIn('id', stages)
        .update({ revision: sql.raw('revision + 1') }),
    );
    await this.db.run(withToken().update({ token_digest: null }));
    await this.db.run(waiting().update({ deadline: now }));
  }

  async keepOutcomes(id: TaskResultId, outcomes: readonly TaskResultOutcome[]): Promise<void> {
    const { sql } = this.db;
    await this.db.run(sql('task_result_outcomes').where('task_result_id', id).delete());
    if (outcomes.length === 0) return;
    const rows = outcomes.map((outcome, position) => ({
      ...outcomeRows.write(outcome),
      task_result_id: id,
      position,
    }));
    await this.db.run(sql('task_result_outcomes').insert(rows));
  }

  outcomes(id: TaskResultId, page: PageRequest): Promise<Page<TaskResultOutcome>> {
    const { sql } = this.db;
    const listed = sql('task_result_outcomes as y')
      .where('y.task_result_id', id)
      .whereExists(living(sql).where('x.id', id));
    const present = (part: Knex.QueryBuilder) =>
      part.select(...columnsOf('y', outcomeRows.columns)).orderBy('y.position');
    return pageOf(this.db, listed, present, outcomeRows.read, page);
  }
}
