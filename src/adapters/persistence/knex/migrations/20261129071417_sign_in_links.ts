import type { Knex } from 'knex';
import { columnsFor } from './shared/columns.js';
import { lockTables } from './shared/lock-tables.js';

/** Links that sign a user in, at most one for each, and whether a user has signed in. */
export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo: ['users'] });
  await knex.schema.createTable('sign_in_links', (table) => {
    const column = columnsFor(knex)(table);
    column.reference('user_id', 'users.id').primary();
    column.text('code_digest', 'expires_at');
  });
  await knex.raw('create unique index sign_in_links_code on sign_in_links (code_digest)');
  await knex.schema.createTable('first_sign_in', (table) => {
    // Always 1: the table has one row, or none.
    columnsFor(knex)(table).integer('nth');
    table.primary(['nth']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('first_sign_in');
  await knex.schema.dropTable('sign_in_links');
}
