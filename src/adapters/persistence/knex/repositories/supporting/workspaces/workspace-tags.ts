import type { Knex } from 'knex';
import type { WorkspaceFilter } from '../../../../../../application/ports/repositories/filters.js';
import { type KeyValue, type OrganizationId, tagNameOf } from '../../../../../../domain/index.js';

/** Keeps bindings `b` with this key and this value. */
export function matching(bindings: Knex.QueryBuilder, { key, value }: Partial<KeyValue>): Knex.QueryBuilder {
  if (key !== undefined) bindings.where('b.key', key);
  return value === undefined ? bindings : bindings.where('b.value', value);
}

/** Restricts workspaces by their tags and effective bindings. */
export function tagged(
  sql: Knex,
  workspaces: Knex.QueryBuilder,
  alias: string,
  organizationId: OrganizationId,
  { tags = [], excludedTags = [], bindings = [] }: WorkspaceFilter,
): Knex.QueryBuilder {
  const id = `${alias}.id`;
  const bound = (table: string) => sql(`${table} as b`).where('b.organization_id', organizationId);
  const inherited = () => bound('project_tag_bindings').join('workspaces as iw', 'iw.project_id', 'b.project_id');
  // Each part has an index of its own, which an `or` between them would not use.
  const having = (names: readonly string[]) => {
    const key = sql.raw('lower(b.key) as name');
    const flat = sql('tags as t')
      .join('workspace_tags as wt', 'wt.tag_id', 't.id')
      .where('t.organization_id', organizationId)
      .whereIn('t.name', names.map(tagNameOf))
      .select('wt.workspace_id', 't.name');
    const own = bound('workspace_tag_bindings').whereIn('b.key', names).select('b.workspace_id', key);
    return sql.from(flat.union([own, inherited().whereIn('b.key', names).select('iw.id', key)]).as('had'));
  };
  if (tags.length > 0) {
    const wanted = new Set(tags.map(tagNameOf)).size;
    const all = having(tags).select('had.workspace_id').groupBy('had.workspace_id').havingRaw('count(*) = ?', [wanted]);
    workspaces.whereIn(id, all);
  }
  if (excludedTags.length > 0) workspaces.whereNotIn(id, having(excludedTags).select('had.workspace_id'));
  for (const binding of bindings) {
    const overridden = sql('workspace_tag_bindings as own').whereRaw('own.workspace_id = iw.id and own.key = b.key');
    const inheriting = matching(inherited(), binding).whereNotExists(overridden.select('own.id')).select('iw.id');
    const either = matching(bound('workspace_tag_bindings'), binding).select('b.workspace_id').union([inheriting]);
    workspaces.whereIn(id, either);
  }
  return workspaces;
}
