import type { Knex } from 'knex';
import { lockTables } from './lock-tables.js';

/** Short names for the kinds of column the schema is made of. Migrations use them: a kind may be added, and none changes. */
export const columnsFor = (knex: Knex) => {
  // The database's locale must not decide how names sort and what lower() does to them: SQLite compares bytes.
  const bytewise = knex.client.driverName === 'pg' ? 'text collate "C"' : 'text';
  /** Columns of one kind, which may share a default. */
  const each =
    (add: (name: string) => Knex.ColumnBuilder) =>
    (...names: readonly string[]) => {
      const columns = names.map(add);
      return {
        defaultTo: (value: Knex.Value) => {
          for (const column of columns) column.defaultTo(value);
        },
      };
    };
  return (table: Knex.CreateTableBuilder) => ({
    text: each((name) => table.specificType(name, bytewise).notNullable()),
    maybeText: each((name) => table.specificType(name, bytewise)),
    flag: each((name) => table.boolean(name).notNullable()),
    maybeFlag: each((name) => table.boolean(name)),
    integer: each((name) => table.integer(name).notNullable()),
    maybeInteger: each((name) => table.integer(name)),
    long: each((name) => table.bigInteger(name).notNullable()),
    maybeLong: each((name) => table.bigInteger(name)),
    reference: (name: string, to: string) => table.specificType(name, bytewise).notNullable().references(to),
    maybeReference: (name: string, to: string) => table.specificType(name, bytewise).references(to),
    id: () => table.specificType('id', bytewise).primary(),
    revision: () => table.integer('revision').notNullable(),
  });
};

export type Columns = ReturnType<ReturnType<typeof columnsFor>>;

/** Instances of the release before go on writing rows, so each column needs a default or may be null. */
export async function addColumns(knex: Knex, table: string, define: (column: Columns) => void): Promise<void> {
  await lockTables(knex, { changed: table });
  await knex.schema.alterTable(table, (altered) => define(columnsFor(knex)(altered)));
}

/** Columns by table and name. */
export type NewColumns = Readonly<Record<string, Readonly<Record<string, (column: Columns, name: string) => void>>>>;

export const maybeText = (column: Columns, name: string) => column.maybeText(name);

const namesIn = async (knex: Knex, table: string): Promise<ReadonlySet<string>> =>
  new Set(Object.keys(await knex(table).columnInfo()));

/**
 * Adds columns to several tables, each in a transaction of its own. May run again after it died half-way. For a migration
 * that exports `config = { transaction: false }` and does nothing else.
 */
export async function addColumnsToEach(knex: Knex, columns: NewColumns): Promise<void> {
  for (const [table, wanted] of Object.entries(columns)) {
    const present = await namesIn(knex, table);
    const missing = Object.entries(wanted).filter(([name]) => !present.has(name));
    if (missing.length === 0) continue;
    await knex.transaction((transaction) =>
      addColumns(transaction, table, (column) => {
        for (const [name, define] of missing) define(column, name);
      }),
    );
  }
}

/** Undoes it, and may run again too. */
export async function dropColumnsFromEach(knex: Knex, columns: NewColumns): Promise<void> {
  for (const [table, wanted] of Object.entries(columns)) {
    const present = await namesIn(knex, table);
    const left = Object.keys(wanted).filter((name) => present.has(name));
    if (left.length > 0) await knex.transaction((transaction) => dropColumns(transaction, table, ...left));
  }
}

/** On SQLite, Knex's `dropColumn` copies the table, which loses its triggers. */
export async function dropColumns(knex: Knex, table: string, ...names: readonly string[]): Promise<void> {
  await lockTables(knex, { changed: table });
  for (const name of names) await knex.raw(`alter table ${table} drop column ${name}`);
}
