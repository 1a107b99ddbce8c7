import type { Knex } from 'knex';
import { caseless } from '../../../../application/ports/repositories/filters.js';
import { newestSearched, type Page, type PageRequest } from '../../../../application/ports/repositories/page.js';
import { likeLiteral, type Query, type Statements, spelledOut } from './statements.js';

/**
 * The rows `l` of an organization in a table, unless the organization is deleted. Its id is read, not compared apart: Postgres
 * would pass each row that it counts through one more step, for a quarter of the time.
 */
export const ofOrganization = (sql: Knex, table: string, organizationId: string): Knex.QueryBuilder =>
  sql(`${table} as l`).where(
    'l.organization_id',
    sql('organizations').where({ id: organizationId, deleted_at: null }).select('id'),
  );

/**
 * Restricts `rows`, which have the table under `alias`, to the ids that `ids` finds. The ids come from an index alone:
 * nothing else is read of the rows before the page.
 */
export const ofPage = (rows: Knex.QueryBuilder, ids: Knex.QueryBuilder, alias: string): Knex.QueryBuilder =>
  rows.join(ids.as('page'), 'page.id', `${alias}.id`);

/** The ids of a part of such rows, by name. */
export const idsByName = (part: Knex.QueryBuilder): Knex.QueryBuilder =>
  part.select('l.id').orderByRaw('lower(l.name)').orderBy('l.id');

/** Keeps rows with this part in a text: both in lower case, which of letters beyond A to Z no database changes. */
export const withPart = (rows: Knex.QueryBuilder, text: string, part: string | undefined): Knex.QueryBuilder =>
  part === undefined ? rows : rows.whereRaw(`lower(${text}) like ? escape '!'`, [`%${likeLiteral(caseless(part))}%`]);

/** Sorts rows by a text, and equal ones by id in the same direction. */
export const sorted = (rows: Knex.QueryBuilder, alias: string, text: string, descending = false): Knex.QueryBuilder => {
  const way = descending ? 'desc' : 'asc';
  return rows.orderByRaw(`${text} ${way}`).orderBy(`${alias}.id`, way);
};

export const newestFirst = (rows: Knex.QueryBuilder, alias: string): Knex.QueryBuilder =>
  rows.orderBy(['created_at', 'id'].map((column) => ({ column: `${alias}.${column}`, order: 'desc' })));

/** Reads one page of a list that is sorted in both directions. */
export type Part = (ordered: (way: 'asc' | 'desc') => Knex.QueryBuilder) => Knex.QueryBuilder;

/**
 * One page of a list of `total` rows, where `rows` sorts the page itself. The page is reached from the nearer end of
 * the list, so that at most half of it is skipped.
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
  const part: Part = (ordered) =>
    offset <= behind
      ? ordered('asc').limit(size, spelledOut).offset(offset)
      : ordered('desc')
          .limit(Math.min(size, total - offset), spelledOut)
          .offset(behind);
  return { number, size, total, items: (await db.all<Row>(rows(part))).map(fromRow) };
}

/**
 * One page of what a search finds among the newest rows. It searches once, for the ids of all that it finds in their order:
 * counting them apart would read the same rows again.
 */
export async function pageOfFound<Row, Item>(
  db: Statements,
  newest: () => Knex.QueryBuilder,
  found: (newest: Knex.QueryBuilder) => Knex.QueryBuilder,
  rows: (ids: readonly string[]) => Query,
  fromRow: (row: Row) => Item,
  { number, size }: PageRequest,
): Promise<Page<Item>> {
  const another = newest().limit(1, spelledOut).offset(newestSearched, spelledOut);
  const tooMany = (await db.first(another)) !== undefined;
  const all = await db.all<{ readonly id: string }>(found(newest().limit(newestSearched, spelledOut)));
  const shown = all.slice((number - 1) * size, number * size).map(({ id }) => id);
  const items = shown.length === 0 ? [] : (await db.all<Row>(rows(shown))).map(fromRow);
  return { number, size, total: all.length, items, ...(tooMany && { searched: newestSearched }) };
}

/** Ids that a database joined with spaces, in no particular order; null for none. */
export const idsIn = (text: string | null): readonly string[] => text?.split(' ').sort() ?? [];

/** The sort key of a list's row: bytewise, as in the databases. */
export interface Listed {
  readonly id: string;
  readonly name: string;
  readonly tie: string;
}

const order = (a: Listed, b: Listed): number =>
  Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) || Buffer.compare(Buffer.from(a.tie), Buffer.from(b.tie));

/**
 * One page of a long sorted list merged with a few rows that are not in it. The long list is read from `few.length`
 * rows before the page, since the others could shift it by that much; no database plans an `or` this way.
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
