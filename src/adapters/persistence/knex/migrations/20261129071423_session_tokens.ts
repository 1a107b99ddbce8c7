import type { Knex } from 'knex';
import { dropColumns } from './shared/columns.js';
import { lockTables } from './shared/lock-tables.js';

/** The token that a session was made from. The session goes with it, also when the release before removes the token. */
export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { changed: 'sessions', referredTo: ['api_tokens'] });
  // As text: for a reference, Knex copies the table on SQLite. No row has a value yet, so Postgres checks none.
  const text = knex.client.driverName === 'pg' ? 'text collate "C"' : 'text';
  await knex.raw(`alter table sessions add column token_id ${text} references api_tokens (id) on delete cascade`);
}

export const down = (knex: Knex): Promise<void> => dropColumns(knex, 'sessions', 'token_id');
