import type { Column, Row, Table } from './tables.js';

/** A database in one transaction, from which rows are moved. */
export interface Source {
  /** The rows in the order of their keys, in batches of bounded size. */
  batches(table: Table): AsyncIterable<readonly Row[]>;
  /** The first rows in the order of their keys. */
  first(table: Table, count: number, where?: string): Promise<readonly Row[]>;
  /** The last number that the database gave to the counted column; 0 for none. */
  lastNumber(table: Table): Promise<string>;
  tableNames(): Promise<readonly string[]>;
  /** Leaves the database as it was before the transaction. */
  close(): Promise<void>;
}

/** A database to which rows are moved, in one transaction that begins with `begin`. */
export interface Target extends Source {
  /** Commits a row of `knex_migrations` with this name, which keeps every release from using the database. */
  mark(name: string): Promise<void>;
  /** Rows are then written without firing triggers. */
  begin(tables: readonly Table[]): Promise<void>;
  clear(table: Table): Promise<void>;
  write(table: Table, rows: readonly Row[]): Promise<void>;
  setLastNumber(table: Table, number: string): Promise<void>;
  /** Commits the rows, with triggers and without the mark. */
  commit(tables: readonly Table[], mark: string): Promise<void>;
}

/** Rows that are in memory at a time. */
export const maxBatch = { rows: 500, bytes: 8 * 1024 * 1024 };

export const quoted = (name: string): string => `"${name}"`;

/** The columns of a table, separated by commas. */
export const listed = (columns: readonly Column[], each: (column: Column, place: number) => string): string =>
  columns.map(each).join(', ');
