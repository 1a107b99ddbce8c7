import type { Knex } from 'knex';
import { sealPrefix } from '../../../../application/ports/outside/secret-box.js';
import type { Page, PageRequest } from '../../../../application/ports/repositories/page.js';
import { DomainError, notFound } from '../../../../domain/index.js';
import type { Present } from './present.js';

/** The input of a driver. */
export interface Compiled {
  readonly sql: string;
  readonly bindings: readonly unknown[];
  /** One of a few texts that are run repeatedly, whatever callers request. */
  readonly recurs?: boolean;
  /** Finds a few rows by key, so that others may wait for its answer. */
  readonly short?: boolean;
}

/** SQL that Knex builds now or has built before. Never await it: that would run it outside the transaction. */
export type Query = { toSQL(): Knex.Sql } | Compiled;

export const compiled = (query: Query): Compiled => ('toSQL' in query ? query.toSQL().toNative() : query);

/**
 * `sql` builds statements; the other three run them: on the connection of one transaction, or on any when only reading.
 */
export interface Statements {
  readonly sql: Knex;
  /** Whether statements of several units of work may be one. */
  readonly batches?: boolean;
  /** Decides which grants have ended. */
  readonly present: Present;
  all<Row>(query: Query): Promise<Row[]>;
  first<Row>(query: Query): Promise<Row | undefined>;
  /** Returns the number of rows changed. */
  run(query: Query): Promise<number>;
  /**
   * For a statement whose result is not needed, such as a lock: it runs before the next statement or with the commit,
   * and a failure surfaces there, mapped by `mapError`. Not for statements whose row count matters, or after whose failure work
   * continues.
   */
  runLater(query: Query, mapError?: MapError): Promise<void>;
}

/** Maps an error to the one that callers receive. */
export type MapError = (error: unknown) => unknown;

/** The statements of a unit of work that only reads. A connection that also writes would not refuse others. */
export abstract class OnlyReads implements Statements {
  abstract readonly sql: Knex;
  abstract readonly present: Present;
  abstract all<Row>(query: Query): Promise<Row[]>;
  abstract first<Row>(query: Query): Promise<Row | undefined>;

  async run(_query: Query): Promise<number> {
    throw new Error('a unit of work that only reads tried to write');
  }

  /** A selection locks rows here, which would end with its statement. */
  async runLater(query: Query): Promise<void> {
    if (!compiled(query).sql.startsWith('select')) await this.run(query);
  }
}

/** Called with the SQL of every statement that a repository runs. */
export type OnStatement = (sql: string) => void;

/** Named one by one, never `*`: a statement prepared before a migration must return the same after it. */
export const columnsOf = (alias: string, columns: readonly string[]): string[] =>
  columns.map((column) => `${alias}.${column}`);

/** For a limit: Postgres estimates a bound one as a tenth of the rows. */
export const spelledOut = { skipBinding: true };

/** Escapes a text for LIKE patterns whose escape character is `!`. */
export const likeLiteral = (text: string): string => text.replaceAll(/[!%_]/g, '!$&');

/**
 * One page of `matching`, which selects no columns; `present` adds columns and order. All matching rows are counted, so
 * an index must cover every condition: 10,000 rows then take some 250 µs.
 */
export async function pageOf<Row, Item>(
  db: Statements,
  matching: Knex.QueryBuilder,
  present: (matching: Knex.QueryBuilder) => Knex.QueryBuilder,
  fromRow: (row: Row) => Item,
  { number, size }: PageRequest,
): Promise<Page<Item>> {
  const total = await countOf(db, matching);
  const offset = (number - 1) * size;
  const part = matching.clone().limit(size, spelledOut).offset(offset);
  const rows = offset < total ? await db.all<Row>(present(part)) : [];
  return { number, size, total, items: rows.map(fromRow) };
}

/** `matching` selects no columns. */
export const countOf = (db: Statements, matching: Knex.QueryBuilder): Promise<number> =>
  totalOf(db, matching.clone().count({ total: '*' }));

/** `counting` selects a number as `total`. */
export async function totalOf(db: Statements, counting: Query): Promise<number> {
  const counted = await db.first<{ total: number | string }>(counting);
  return Number(counted?.total);
}

/** Throws `shared/stale-revision`, which names the row for the next attempt, unless a row was changed. */
export async function throwIfStale(row: { table: string; id: string }, changed: Promise<number>): Promise<void> {
  if ((await changed) === 0) throw staleRow(row);
}

export const staleRow = (row: { table: string; id: string }): DomainError =>
  stale(`${row.id} was changed by another request`, row);

export const stale = (sentence: string, row?: { table: string; id: string }): DomainError =>
  new DomainError('shared/stale-revision', sentence, row);

/** By the column whose unique index the row violates. */
type Refusals = Readonly<Record<string, () => DomainError>>;

/** Throws the refusal of the column whose unique index `write` violates. */
export async function throwIfTaken(write: Promise<unknown>, refusals: Refusals): Promise<void> {
  try {
    await write;
  } catch (error) {
    throw mapTaken(refusals)(error);
  }
}

export const mapTaken =
  (refusals: Refusals): MapError =>
  (error) => {
    const violated = violatedIndex(error);
    const [, refusal] = Object.entries(refusals).find(([column]) => violated?.includes(column)) ?? [];
    return refusal?.() ?? error;
  };

/** For a required column that a statement looks up: without it, the statement fails with this refusal. */
export const mapMissing =
  (column: string, refusal: () => DomainError = notFound): MapError =>
  (error) => {
    const { code, message = '' } = error as { code?: string; message?: string };
    const isNull = code === '23502' || code === 'SQLITE_CONSTRAINT_NOTNULL';
    return isNull && message.includes(column) ? refusal() : error;
  };

/**
 * A text that names the index's columns: Postgres reports its name, SQLite its columns, or its name when it has none.
 */
function violatedIndex(error: unknown): string | undefined {
  const { code, constraint, message } = error as { code?: string; constraint?: string; message?: string };
  if (code === 'SQLITE_CONSTRAINT_UNIQUE') return message;
  return code === '23505' ? constraint : undefined;
}

/**
 * The ids after `after` of rows that are sealed with another key: two ranges of an index by key, which are empty unless
 * a signing secret was changed. Searching the rows themselves would walk through all of them by id.
 */
export function idsSealedWithOtherKeys(
  sql: Knex,
  table: string,
  fingerprint: string,
  after: string,
): Knex.QueryBuilder {
  const range = (than: '<' | '>') =>
    sql(table).where('sealed_by', than, sealPrefix(fingerprint)).where('id', '>', after).select('id');
  return range('<').unionAll(range('>'));
}
