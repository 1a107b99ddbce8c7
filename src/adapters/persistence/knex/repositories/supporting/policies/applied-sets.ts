import type { Knex } from 'knex';
import type { AppliedSet, WorkspaceId } from '../../../../../../domain/index.js';
import { activeWorkspaces } from '../workspaces/knex-workspaces.js';

export const setScopes: readonly AppliedSet['scope'][] = ['global', 'project', 'workspace'];

const joins: Readonly<Record<AppliedSet['scope'], (workspace: Knex.QueryBuilder) => Knex.QueryBuilder>> = {
  global: (workspace) =>
    workspace
      .join('variable_sets as s', 's.organization_id', 'o.id')
      // Spelled out and not bound, or the databases would not use the index of the global ones.
      .whereRaw('s.global = TRUE'),
  project: (workspace) =>
    workspace
      .join('variable_set_projects as a', 'a.project_id', 'w.project_id')
      .join('variable_sets as s', 's.id', 'a.variable_set_id'),
  workspace: (workspace) =>
    workspace
      .join('variable_set_workspaces as a', 'a.workspace_id', 'w.id')
      .join('variable_sets as s', 's.id', 'a.variable_set_id'),
};

/** The variable sets `s` that apply to a living workspace for this reason: a project's own only to its workspaces. */
export const setsFor = (sql: Knex, id: WorkspaceId, scope: AppliedSet['scope']): Knex.QueryBuilder =>
  joins[scope](activeWorkspaces(sql('workspaces as w')).where('w.id', id)).whereRaw(
    '(s.project_id is null or s.project_id = w.project_id)',
  );
