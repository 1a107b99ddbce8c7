import type { Knex } from 'knex';
import {
  type OrganizationId,
  type RunStatus,
  runStatusesHoldingWorkspace,
  waitingRunStatuses,
} from '../../../../../../domain/index.js';

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

/** A column of the current run of a workspace `w`, as it is known without the table of current runs; null without one. */
const ofCurrentRun = (sql: Knex, column: string): Knex.Raw => {
  const { holding, waiting } = holdingAndWaiting(sql, column);
  return sql.raw('coalesce((?), (?))', [holding, waiting]);
};

/** Workspaces `w` whose current run has one of the statuses. `isKept`: whether the table of current runs is filled. */
export function withCurrentRunIn(
  sql: Knex,
  workspaces: Knex.QueryBuilder,
  organizationId: OrganizationId,
  statuses: readonly RunStatus[],
  isKept: boolean,
): void {
  if (isKept) {
    const current = sql('current_runs')
      .where('organization_id', organizationId)
      .whereIn('status', [...statuses]);
    workspaces.whereIn('w.id', current.select('workspace_id'));
    return;
  }
  const listed = sql.raw(statuses.map(() => '?').join(', ') || 'null', [...statuses]);
  workspaces.whereRaw('? in (?)', [ofCurrentRun(sql, 'status'), listed]);
}

/** Sorts workspaces `w` by the time of their current runs; those without one come last. */
export function byCurrentRun(
  sql: Knex,
  workspaces: Knex.QueryBuilder,
  way: string,
  isKept: boolean,
): Knex.QueryBuilder {
  // SQLite sorts NULL first and Postgres last.
  const by = `(? is null), ? ${way}`;
  if (!isKept) {
    const createdAt = ofCurrentRun(sql, 'created_at');
    return workspaces.orderByRaw(by, [createdAt, createdAt]);
  }
  const createdAt = sql.ref('c.created_at');
  return workspaces.leftJoin('current_runs as c', 'c.workspace_id', 'w.id').orderByRaw(by, [createdAt, createdAt]);
}
