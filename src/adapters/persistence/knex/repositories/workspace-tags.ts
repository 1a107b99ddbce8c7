import type { Knex } from 'knex';
import type { WorkspaceFilter } from '../../../../application/ports/repositories/filters.js';
import type { OrganizationId } from '../../../../domain/index.js';

/** Restricts workspaces by their tags. One subquery for all names, however many. */
export function tagged(
  sql: Knex,
  workspaces: Knex.QueryBuilder,
  alias: string,
  organizationId: OrganizationId,
  { tags = [], excludedTags = [], bindings = [] }: WorkspaceFilter,
): Knex.QueryBuilder {
  const id = `${alias}.id`;
  const having = (names: readonly string[]) =>
    sql('tags as t')
      .join('workspace_tags as wt', 'wt.tag_id', 't.id')
      .where('t.organization_id', organizationId)
      .whereIn('t.name', names)
      .select('wt.workspace_id');
  if (tags.length > 0) {
    workspaces.whereIn(id, having(tags).groupBy('wt.workspace_id').havingRaw('count(*) = ?', [tags.length]));
  }
  if (excludedTags.length > 0) workspaces.whereNotIn(id, having(excludedTags));
  for (const { key, value } of bindings) {
    const bound = (table: string) => {
      const bindings = sql(`${table} as b`).where('b.organization_id', organizationId);
      if (key !== undefined) bindings.where('b.key', key);
      if (value !== undefined) bindings.where('b.value', value);
      return bindings;
    };
    const overridden = sql('workspace_tag_bindings as own').whereRaw('own.workspace_id = iw.id and own.key = b.key');
    const inheriting = bound('project_tag_bindings')
      .join('workspaces as iw', 'iw.project_id', 'b.project_id')
      .whereNotExists(overridden.select('own.id'));
    // Not in one expression with an `or`: each part has an index of its own.
    const either = bound('workspace_tag_bindings')
      .select('b.workspace_id')
      .union([inheriting.select('iw.id')]);
    workspaces.whereIn(id, either);
  }
  return workspaces;
}
