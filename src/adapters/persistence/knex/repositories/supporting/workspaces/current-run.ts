import type { Knex } from 'knex';
import { type RunStatus, runStatusesHoldingWorkspace, waitingRunStatuses } from '../../../../../../domain/index.js';

/** Spelled out, not bound, as `FALSE` is: a plan that must fit any value does not use a partial index. */
export const isOneOf = (statuses: readonly RunStatus[]): string =>
  `r.status in (${statuses.map((status) => `'${status}'`).join(', ')})`;
export const notPlanOnly = 'r.plan_only = FALSE';

const oneOf = (sql: Knex, statuses: readonly RunStatus[], column: string): Knex.QueryBuilder =>
  sql('runs as r')
    .whereRaw('r.workspace_id = w.id')
    .whereRaw(notPlanOnly)
    .whereRaw(isOneOf(statuses))
    .select(`r.${column}`)
    .orderBy('r.sequence')
    .limit(1);

/** A column of the run that holds a workspace `w`, and of the one that has waited for it the longest. */
export const holdingAndWaiting = (sql: Knex, column: string) => ({
  holding: oneOf(sql, runStatusesHoldingWorkspace, column),
  waiting: oneOf(sql, waitingRunStatuses, column),
});

/** A column of the current run of a workspace `w`; null without one. */
export const ofCurrentRun = (sql: Knex, column: string): Knex.Raw => {
  const { holding, waiting } = holdingAndWaiting(sql, column);
  return sql.raw('coalesce((?), (?))', [holding, waiting]);
};
