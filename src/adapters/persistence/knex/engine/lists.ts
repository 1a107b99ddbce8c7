import type { Knex } from 'knex';
import type { Page, PageRequest } from '../../../../application/ports/repositories/page.js';
import { prepared } from './prepared.js';
import type { Query, Statements } from './statements.js';

/** Lists whose length the database keeps, by what their names begin with, and whose they are. */
const places = {
  teams: 'organization',
  'visible-teams': 'organization',
  workspaces: 'organization',
  members: 'organization',
  'team-tokens': 'organization',
  accesses: 'workspace',
  'visible-accesses': 'workspace',
  'policy-sets': 'organization',
  policies: 'organization',
  'opa-policies': 'organization',
  'sentinel-policies': 'organization',
  'agent-pools': 'organization',
  'agent-tokens': 'pool',
  'user-tokens': 'user',
  users: 'all',
} as const;

type Place = { readonly list: string; readonly id: string };

const inOrganization = (sql: Knex, list: string) =>
  sql('list_sizes as s')
    .crossJoin(sql.raw('organizations as o'))
    .where({ 's.list': list, 'o.deleted_at': null })
    .select('s.size');

const sizes = {
  organization: prepared((sql, { list, id }: Place) => inOrganization(sql, list).where('o.id', id)),
  workspace: prepared((sql, { list, id }: Place) =>
    inOrganization(sql, list)
      .join('workspaces as w', 'w.organization_id', 'o.id')
      .where({ 'w.id': id, 'w.deleted_at': null }),
  ),
  pool: prepared((sql, { list, id }: Place) =>
    sql('list_sizes as s')
      .crossJoin(sql.raw('agent_pools as p'))
      .leftJoin('organizations as o', 'o.id', 'p.organization_id')
      .where({ 's.list': list, 'p.id': id, 'o.deleted_at': null })
      .select('s.size'),
  ),
  user: prepared((sql, { list, id }: Place) =>
    sql('list_sizes as s')
      .crossJoin(sql.raw('users as u'))
      .where({ 's.list': list, 'u.id': id, 'u.deleted_at': null })
      .select('s.size'),
  ),
  all: prepared((sql, { list }: Place) => sql('list_sizes as s').where('s.list', list).select('s.size')),
};

/** None in what is deleted. Counting would cost some 25 µs for each 1,000 rows, on every page. */
export async function listSize(db: Statements, list: keyof typeof places, id: string): Promise<number> {
  const query = sizes[places[list]](db, { list: `${list} ${id}`, id });
  return (await db.first<{ readonly size: number }>(query))?.size ?? 0;
}

/**
 * Keeps of `rows`, which have the table under `alias`, those whose ids `ids` finds. Ids come from an index alone: of
 * what comes before the page, nothing else is read.
 */
export const ofPage = (rows: Knex.QueryBuilder, ids: Knex.QueryBuilder, alias: string): Knex.QueryBuilder =>
  rows.join(ids.as('page'), 'page.id', `${alias}.id`);

/** What one organization has in a table, by name. */
export const inOrderOfName = (sql: Knex, table: string, organizationId: string) => (way: 'asc' | 'desc') =>
  sql(`${table} as l`)
    .where('l.organization_id', organizationId)
    .select('l.id')
    .orderByRaw(`lower(l.name) ${way}`)
    .orderBy('l.id', way);

/** By time of creation; from the oldest on when it is turned around. */
export const newestFirst = (rows: () => Knex.QueryBuilder, alias: string) => (way: 'asc' | 'desc') =>
  rows().orderBy(['created_at', 'id'].map((column) => ({ column: `${alias}.${column}`, order: opposite[way] })));

const opposite = { asc: 'desc', desc: 'asc' } as const;

/** Takes one page of what is ordered from either end. */
export type Part = (ordered: (way: 'asc' | 'desc') => Knex.QueryBuilder) => Knex.QueryBuilder;

/**
 * One part of a list of `total` rows, of which `rows` sorts what the part leaves. It is reached from the nearer end of
 * the list, so that no more than half of it is ever skipped.
 */
export async function partOf<Row, Item>(
  db: Statements,
  total: number,
  rows: (part: Part) => Query,
  fromRow: (row: Row) => Item,
  { number, size }: PageRequest,
): Promise<Page<Item>> {
  const offset = (number - 1) * size;
  if (offset >= total) return { number, size, total, items: [] };
  const behind = Math.max(0, total - offset - size);
  // Spelled out and not bound: of a page of any size, Postgres believes that it is a tenth of the list.
  const spelledOut = { skipBinding: true };
  const part: Part = (ordered) =>
    offset <= behind
      ? ordered('asc').limit(size, spelledOut).offset(offset)
      : ordered('desc')
          .limit(Math.min(size, total - offset), spelledOut)
          .offset(behind);
  return { number, size, total, items: (await db.all<Row>(rows(part))).map(fromRow) };
}

/** Ids that a database put together with blanks between them, in no particular order; null for none. */
export const idsIn = (text: string | null): readonly string[] => text?.split(' ').sort() ?? [];

/** What a row of a list is sorted by: bytewise, as the databases do. */
export interface Listed {
  readonly id: string;
  readonly name: string;
  readonly tie: string;
}

const order = (a: Listed, b: Listed): number =>
  Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) || Buffer.compare(Buffer.from(a.tie), Buffer.from(b.tie));

/**
 * One part of a long list with a few rows more, which are not in it. The long list is in order and is read from so many
 * rows before the page as the others could push there: from an `or`, no database would plan that.
 */
export async function mergedPart<Row, Item>(
  db: Statements,
  { total, long, few }: { readonly total: number; readonly long: Knex.QueryBuilder; readonly few: readonly Listed[] },
  rowsOf: (ids: readonly string[]) => Query,
  fromRow: (row: Row) => Item,
  { number, size }: PageRequest,
): Promise<Page<Item>> {
  const offset = (number - 1) * size;
  if (offset >= total) return { number, size, total, items: [] };
  const start = Math.max(0, offset - few.length);
  const listed = await db.all<Listed>(long.limit(size + few.length).offset(start));
  const [first] = listed;
  const before = start === 0 || first === undefined ? [] : few.filter((row) => order(row, first) < 0);
  const merged = [...listed, ...few.filter((row) => !before.includes(row))].sort(order);
  const skipped = offset - start - before.length;
  const ids = merged.slice(skipped, skipped + size).map(({ id }) => id);
  return { number, size, total, items: (await db.all<Row>(rowsOf(ids))).map(fromRow) };
}
