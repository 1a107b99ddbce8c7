import type { Knex } from 'knex';
import { caseless, type WorkspaceFilter } from '../../../../../../application/ports/repositories/filters.js';
import { sorted, withPart } from '../../../engine/lists.js';
import { likeLiteral } from '../../../engine/statements.js';
import { byCurrentRun } from './current-run.js';

export const byNames: NonNullable<WorkspaceFilter['sort']> = { key: 'name', descending: false };

/** Restricts workspaces by their names and their project. */
export function named(
  workspaces: Knex.QueryBuilder,
  alias: string,
  { search, wildcard, projectId }: WorkspaceFilter,
): Knex.QueryBuilder {
  withPart(workspaces, `${alias}.name`, search);
  if (projectId !== undefined) workspaces.where(`${alias}.project_id`, projectId);
  if (wildcard === undefined) return workspaces;
  const pattern = caseless(wildcard).split('*').map(likeLiteral).join('%');
  return workspaces.whereRaw(`lower(${alias}.name) like ? escape '!'`, [pattern]);
}

/** Sorts workspaces `w`. `isKept`: whether the table of current runs is filled. */
export function inOrder(
  sql: Knex,
  workspaces: Knex.QueryBuilder,
  { key, descending }: NonNullable<WorkspaceFilter['sort']>,
  isKept: boolean,
): Knex.QueryBuilder {
  const way = descending ? 'desc' : 'asc';
  if (key === 'name') return sorted(workspaces, 'w', 'lower(w.name)', descending);
  if (key === 'latest-change-at') {
    const state = sql('state_versions as s')
      .whereRaw('s.workspace_id = w.id and s.sequence = w.last_state_sequence')
      .select('s.created_at');
    return workspaces.orderByRaw(`coalesce((?), w.created_at) ${way}`, [state]).orderBy('w.id', way);
  }
  return byCurrentRun(sql, workspaces, way, isKept).orderBy('w.id', way);
}
