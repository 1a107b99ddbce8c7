import type { Knex } from 'knex';
import type { WorkspaceFilter } from '../../../../../../application/ports/repositories/filters.js';
import {
  type Instant,
  type KeyValue,
  type OrganizationId,
  type TeamId,
  tagNameOf,
  type WorkspaceVisibility,
} from '../../../../../../domain/index.js';
import { type Statements, spelledOut } from '../../../engine/statements.js';
import { workspacesThroughAt } from '../../authorization/grant-rows.js';
import { type Condition, type Conditions, demandRow } from './condition.js';
import { withCurrentRunIn } from './current-run.js';

/** The places of tags and bindings. Reading one that has nothing costs as much as reading all of another. */
type Source = Condition;

/** Demands one of them. */
export const anyOf = (sql: Knex, sources: readonly Source[]): Condition => {
  const [only] = sources;
  if (sources.length === 1 && only !== undefined) return only;
  return {
    ids: () => {
      const [first, ...others] = sources.map((source) => source.ids());
      if (first === undefined) return sql('workspaces as n').whereRaw('1 = 0').select('n.id');
      return sql.from(first.union(others).as('either')).select('either.id');
    },
    demand: (rows, id) => {
      if (sources.length === 0) rows.whereRaw('1 = 0');
      rows.where((any) => {
        for (const source of sources) any.orWhere((one) => source.demand(one, id));
      });
    },
  };
};

const tagSource = (sql: Knex, tagId: string): Source => {
  const uses = () => sql('workspace_tags as wt').where('wt.tag_id', tagId);
  return {
    ids: () => uses().select('wt.workspace_id as id'),
    demand: (rows, id) => demandRow(rows, uses().whereRaw('wt.workspace_id = ??', [id]).select('wt.tag_id')),
  };
};

/** Bindings of the workspace itself. */
function ownSource(sql: Knex, organizationId: OrganizationId, binding: Partial<KeyValue>): Source {
  const bound = () => matching(sql('workspace_tag_bindings as b'), binding).where('b.organization_id', organizationId);
  return {
    ids: () => bound().select('b.workspace_id as id'),
    demand: (rows, id) => demandRow(rows, bound().whereRaw('b.workspace_id = ??', [id]).select('b.id')),
  };
}

/** Bindings of its project. `unlessOwn`: that it does not replace. */
function inheritedSource(
  sql: Knex,
  organizationId: OrganizationId,
  binding: Partial<KeyValue>,
  unlessOwn: boolean,
): Source {
  const inherited = () => {
    const bound = matching(sql('project_tag_bindings as b'), binding)
      .where('b.organization_id', organizationId)
      .join('workspaces as iw', 'iw.project_id', 'b.project_id');
    if (!unlessOwn) return bound;
    const own = sql('workspace_tag_bindings as own').whereRaw('own.workspace_id = iw.id and own.key = b.key');
    return bound.whereNotExists(own.select('own.id'));
  };
  return {
    ids: () => inherited().select('iw.id'),
    demand: (rows, id) => demandRow(rows, inherited().whereRaw('iw.id = ??', [id]).select('b.id')),
  };
}

/** Keeps bindings `b` with this key and this value. */
export function matching(bindings: Knex.QueryBuilder, { key, value }: Partial<KeyValue>): Knex.QueryBuilder {
  if (key !== undefined) bindings.where('b.key', key);
  return value === undefined ? bindings : bindings.where('b.value', value);
}

/** The tags of an organization that have such a name, and the tables that have such a key, in one statement. */
async function placesOf(
  db: Statements,
  organizationId: OrganizationId,
  names: readonly string[],
  keys: readonly string[],
): Promise<{
  readonly tag: (name: string) => string | undefined;
  readonly has: (table: Bound, key: string) => boolean;
}> {
  if (names.length + keys.length === 0) return { tag: () => undefined, has: () => false };
  const { sql } = db;
  const ofOrganization = (table: string) => sql(table).where('organization_id', organizationId);
  const columns: Record<string, Knex.QueryBuilder> = {};
  for (const [index, name] of names.entries()) {
    columns[`tag_${index}`] = ofOrganization('tags').where('name', name).select('id');
  }
  for (const [index, key] of keys.entries()) {
    for (const table of ['workspace', 'project'] as const) {
      columns[`${table}_${index}`] = ofOrganization(`${table}_tag_bindings`)
        .where('key', key)
        // In the order of an index, which is then used even for a key that few rows have.
        .orderBy('value')
        .select('id')
        .limit(1, spelledOut);
    }
  }
  const found = await db.first<Record<string, string | null>>(sql.select(columns));
  return {
    tag: (name) => found?.[`tag_${names.indexOf(name)}`] ?? undefined,
    has: (table, key) => found?.[`${table}_${keys.indexOf(key)}`] != null,
  };
}

type Bound = 'workspace' | 'project';

/** Workspaces that one of the teams has access to. */
export const grantedTo = (sql: Knex, teamIds: readonly TeamId[], soFar: Instant): Condition => ({
  ids: () => sql.from(workspacesThroughAt(sql, teamIds, soFar).as('g')).select('g.workspace_id as id'),
  demand: (rows, id) => rows.whereRaw("?? || '' in (?)", [id, workspacesThroughAt(sql, teamIds, soFar)]),
});

/** The demands of a filter, but for names and the project. `isKept`: whether the table of current runs is filled. */
export async function conditionsOf(
  db: Statements,
  organizationId: OrganizationId,
  visibility: WorkspaceVisibility,
  { tags = [], excludedTags = [], bindings = [], currentRun }: WorkspaceFilter,
  isKept: boolean,
): Promise<Conditions> {
  const { sql } = db;
  const named = [...tags, ...excludedTags];
  const keys = [...new Set([...named, ...bindings.flatMap(({ key }) => key ?? [])])];
  const places = await placesOf(db, organizationId, [...new Set(named.map(tagNameOf))], keys);
  const bound = (binding: Partial<KeyValue>, unlessOwn: boolean): readonly Source[] => {
    const { key } = binding;
    const has = (table: Bound) => key === undefined || places.has(table, key);
    return [
      ...(has('workspace') ? [ownSource(sql, organizationId, binding)] : []),
      ...(has('project') ? [inheritedSource(sql, organizationId, binding, unlessOwn)] : []),
    ];
  };
  const havingEach = (names: readonly string[]): readonly Condition[] =>
    [...Map.groupBy(new Set(names), tagNameOf)].map(([name, spellings]) => {
      const tag = places.tag(name);
      const flat = tag === undefined ? [] : [tagSource(sql, tag)];
      return anyOf(sql, [...flat, ...spellings.flatMap((key) => bound({ key }, false))]);
    });
  const demanded: Condition[] = [];
  if (visibility !== 'all') demanded.push(grantedTo(sql, visibility.throughTeams, db.present.soFar()));
  demanded.push(
    ...bindings.map((binding) => withoutDoubles(sql, anyOf(sql, bound(binding, true)), binding.key === undefined)),
    ...havingEach(tags),
  );
  if (currentRun !== undefined) demanded.push(withCurrentRunIn(sql, organizationId, currentRun, isKept));
  return { demanded, excluded: havingEach(excludedTags) };
}

/** A workspace may have one value under several keys. */
const withoutDoubles = (sql: Knex, condition: Condition, doubles: boolean): Condition =>
  doubles ? { ...condition, ids: () => sql.from(condition.ids().as('each')).distinct('each.id') } : condition;
