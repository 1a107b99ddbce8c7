import type { Knex } from 'knex';
import {
  type OrganizationId,
  type RunStatus,
  runStatusesHoldingWorkspace,
  waitingRunStatuses,
} from '../../../../../../domain/index.js';
import { type Condition, demandRow } from './condition.js';

/** Spelled out, not bound, as `FALSE` is: a plan that must fit any value does not use a partial index. */
export const isOneOf = (statuses: readonly RunStatus[]): string =>
  `r.status in (${statuses.map((status) => `'${status}'`).join(', ')})`;
export const notPlanOnly = 'r.plan_only = FALSE';

const oneOf = (sql: Knex, statuses: readonly RunStatus[], column: string, workspace: string): Knex.QueryBuilder =>
  sql('runs as r')
    .whereRaw(`r.workspace_id = ${workspace}.id`)
    .whereRaw(notPlanOnly)
    .whereRaw(isOneOf(statuses))
    .select(`r.${column}`)
    .orderBy('r.sequence')
    .limit(1);

/** A column of the run that holds a workspace, and of the one that has waited for it the longest. */
export const holdingAndWaiting = (sql: Knex, column: string, workspace = 'w') => ({
  holding: oneOf(sql, runStatusesHoldingWorkspace, column, workspace),
  waiting: oneOf(sql, waitingRunStatuses, column, workspace),
});

/** A column of the current run of a workspace, as it is known without the table of current runs; null without one. */
const ofCurrentRun = (sql: Knex, column: string, workspace: string): Knex.Raw => {
  const { holding, waiting } = holdingAndWaiting(sql, column, workspace);
  return sql.raw('coalesce((?), (?))', [holding, waiting]);
};

/** Workspaces whose current run has one of the statuses. `isKept`: whether the table of current runs is filled. */
export function withCurrentRunIn(
  sql: Knex,
  organizationId: OrganizationId,
  statuses: readonly RunStatus[],
  isKept: boolean,
): Condition {
  const workspaces = () => {
    if (isKept) {
      const current = sql('current_runs as cr').where('cr.organization_id', organizationId);
      return { current: current.whereIn('cr.status', [...statuses]), id: 'cr.workspace_id' };
    }
    const listed = sql.raw(statuses.map(() => '?').join(', ') || 'null', [...statuses]);
    const current = sql('workspaces as w').where('w.organization_id', organizationId);
    return { current: current.whereRaw('? in (?)', [ofCurrentRun(sql, 'status', 'w'), listed]), id: 'w.id' };
  };
  return {
    ids: () => {
      const { current, id } = workspaces();
      return current.select({ id });
    },
    demand: (rows, of) => {
      const { current, id } = workspaces();
      demandRow(rows, current.whereRaw('?? = ??', [id, of]).select(id));
    },
  };
}

/** Sorts workspaces by the time of their current runs; those without one come last. */
export function byCurrentRun(
  sql: Knex,
  workspaces: Knex.QueryBuilder,
  alias: string,
  way: string,
  isKept: boolean,
): Knex.QueryBuilder {
  // SQLite sorts NULL first and Postgres last.
  const by = `(? is null), ? ${way}`;
  if (!isKept) {
    const createdAt = ofCurrentRun(sql, 'created_at', alias);
    return workspaces.orderByRaw(by, [createdAt, createdAt]);
  }
  const createdAt = sql.ref('c.created_at');
  return workspaces
    .leftJoin('current_runs as c', 'c.workspace_id', `${alias}.id`)
    .orderByRaw(by, [createdAt, createdAt]);
}
