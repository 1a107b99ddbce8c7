import type { Knex } from 'knex';
import { columnsFor } from './shared/columns.js';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('fills', (table) => {
    const column = columnsFor(knex)(table);
    column.text('name');
    // The rows up to this key are visited.
    column.text('last_key');
    column.flag('filled');
    table.primary(['name']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('fills');
}
