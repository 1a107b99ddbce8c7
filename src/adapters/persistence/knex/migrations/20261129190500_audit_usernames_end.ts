import type { Knex } from 'knex';
import { addColumns, dropColumns } from './shared/columns.js';
import { lockTables } from './shared/lock-tables.js';
import { placeTriggers, removeTriggers } from './shared/triggers.js';

const table = 'audit_usernames';
const inserting = `after insert on ${table} for each row`;
const date = `update ${table} set kept_at = (select u.deleted_at from users as u where u.id = new.user_id)
  where user_id = new.user_id and kept_at is null`;

const triggers = {
  audit_usernames_dated: {
    sqlite: `${inserting} begin ${date}; end`,
    postgres: [inserting, `${date}; return null;`] as const,
  },
};

/** Usernames are forgotten with the last event that may name their users: none does after a user was deleted. */
export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { changed: table });
  await addColumns(knex, table, (column) => column.maybeText('kept_at'));
  await knex(table).update({ kept_at: new Date().toISOString() });
  await knex.raw(`create index ${table}_by_age on ${table} (kept_at)`);
  await placeTriggers(knex, triggers);
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, { changed: table });
  await removeTriggers(knex, triggers);
  await knex.raw(`drop index ${table}_by_age`);
  await dropColumns(knex, table, 'kept_at');
}
