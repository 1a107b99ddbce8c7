import Database from 'better-sqlite3';
import { newSqliteBytes } from '../migrate.js';

/** A row's values as text, equal on both engines: digits for numbers and flags, hexadecimal digits for bytes. */
export type Row = readonly (string | null)[];

/** By the types that migrations give to columns of SQLite. */
const kinds = { text: 'text', integer: 'number', bigint: 'number', boolean: 'flag', blob: 'bytes' } as const;

export interface Column {
  readonly name: string;
  readonly kind: (typeof kinds)[keyof typeof kinds];
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly key: readonly Column[];
  /** The column whose values the database counts, if any. */
  readonly counted: string | undefined;
}

/** The schema of this release, without rows other than those that migrations write. */
export interface NewDatabase {
  /** Those that a table refers to come before it. */
  readonly tables: readonly Table[];
  readonly connection: Database.Database;
}

/**
 * Reads the tables from a new database, so that a table of a later migration is moved as well. Throws if it has a table
 * that cannot be moved.
 */
export async function newDatabase(): Promise<NewDatabase> {
  const connection = new Database(await newSqliteBytes());
  const named = connection
    .prepare(`select name, sql from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`)
    .all() as readonly { readonly name: string; readonly sql: string }[];
  const tables = named.filter(({ name }) => !isOfKnex(name)).map(({ name, sql }) => tableOf(connection, name, sql));
  const parents = connection.prepare('select distinct "table" from pragma_foreign_key_list(?)').pluck();
  return { tables: inOrder(tables, ({ name }) => parents.all(name) as readonly string[]), connection };
}

export const isOfKnex = (table: string): boolean => table.startsWith('knex_');

function tableOf(connection: Database.Database, name: string, sql: string): Table {
  const described = connection.prepare('select name, type, pk from pragma_table_info(?) order by cid').all(name) as {
    readonly name: string;
    readonly type: string;
    readonly pk: number;
  }[];
  const columns = described.map((column) => {
    const kind = kinds[column.type.toLowerCase() as keyof typeof kinds];
    if (kind === undefined) throw new Error(`${name}.${column.name} has a type that is not moved: ${column.type}`);
    return { name: column.name, kind, place: column.pk };
  });
  const key = columns.filter(({ place }) => place > 0).sort((a, b) => a.place - b.place);
  if (key.length === 0) throw new Error(`${name} has no primary key to read its rows by`);
  return { name, columns, key, counted: /\bautoincrement\b/i.test(sql) ? key[0]?.name : undefined };
}

function inOrder(tables: readonly Table[], parentsOf: (table: Table) => readonly string[]): readonly Table[] {
  const placed = new Set<Table>();
  const place = (table: Table, children: readonly Table[]) => {
    if (placed.has(table)) return;
    if (children.includes(table)) throw new Error(`the rows of ${table.name} refer to each other in a circle`);
    for (const name of parentsOf(table)) {
      const parent = tables.find((each) => each.name === name);
      if (parent !== undefined) place(parent, [...children, table]);
    }
    placed.add(table);
  };
  for (const table of tables) place(table, []);
  return [...placed];
}
