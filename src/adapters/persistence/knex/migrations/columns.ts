import type { Knex } from 'knex';

/** Short names for the kinds of column the schema is made of. Migrations use them: a kind may be added, and none changes. */
export const columnsFor = (knex: Knex) => {
  // The database's locale must not decide how names sort and what lower() does to them: SQLite compares bytes.
  const bytewise = knex.client.driverName === 'pg' ? 'text collate "C"' : 'text';
  return (table: Knex.CreateTableBuilder) => ({
    text: (name: string) => table.specificType(name, bytewise).notNullable(),
    maybeText: (name: string) => table.specificType(name, bytewise),
    flag: (name: string) => table.boolean(name).notNullable(),
    integer: (name: string) => table.integer(name).notNullable(),
    reference: (name: string, to: string) => table.specificType(name, bytewise).notNullable().references(to),
    maybeReference: (name: string, to: string) => table.specificType(name, bytewise).references(to),
    id: () => table.specificType('id', bytewise).primary(),
    revision: () => table.integer('revision').notNullable(),
  });
};
