import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { lockTables } from './lock-tables.js';

const indexes = [
  'unique index identities_subject on identities (issuer, subject)',
  'index identities_of_user on identities (user_id)',
  'unique index sessions_digest on sessions (secret_digest)',
  'index sessions_of_user on sessions (user_id, expires_at)',
];

/** Persons at identity providers, and their sessions in browsers. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, { referredTo: ['users'] });
  await knex.schema.createTable('identities', (table) => {
    const { id, text, reference } = column(table);
    id();
    reference('user_id', 'users.id');
    text('issuer');
    text('subject');
    text('created_at');
  });
  await knex.schema.createTable('sessions', (table) => {
    const { id, text, reference } = column(table);
    id();
    reference('user_id', 'users.id');
    text('secret_digest');
    text('created_at');
    text('expires_at');
  });
  for (const index of indexes) await knex.raw(`create ${index}`);
}

/** Everyone is signed out, and identities must be linked again. */
export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('sessions');
  await knex.schema.dropTable('identities');
}
