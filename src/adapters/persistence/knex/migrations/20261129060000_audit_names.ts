import type { Knex } from 'knex';
import { addColumns, columnsFor, dropColumns } from './shared/columns.js';
import { lockTables } from './shared/lock-tables.js';
import { placeTriggers, removeTriggers } from './shared/triggers.js';

/** Before the rest of the row is removed in batches. */
const deleting = `after update of deleted_at on users for each row
  when (new.deleted_at is not null and old.deleted_at is null and new.username <> '')`;

const keep = `insert into audit_usernames (user_id, username) values (new.id, new.username) on conflict (user_id) do nothing;`;

const triggers = {
  audit_usernames_kept: {
    sqlite: `${deleting} begin ${keep} end`,
    postgres: [deleting, `${keep} return null;`] as const,
  },
};

/**
 * Names next to the ids of events. Events are never changed, so older ones have none. Usernames, which may have to be
 * erased, are in a table of their own: those of users as they are deleted.
 */
export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { changed: 'audit_events', referredTo: ['users'] });
  await addColumns(knex, 'audit_events', (column) =>
    column.maybeText('actor_name', 'subject_name', 'workspace_id', 'workspace_name', 'comment'),
  );
  await knex.schema.createTable('audit_usernames', (table) => {
    const column = columnsFor(knex)(table);
    column.text('user_id', 'username');
    table.primary(['user_id']);
  });
  await knex.raw('create index audit_usernames_by_name on audit_usernames (lower(username))');
  await placeTriggers(knex, triggers);
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, { changed: 'audit_events', referredTo: ['users'] });
  await removeTriggers(knex, triggers);
  await knex.schema.dropTable('audit_usernames');
  await dropColumns(knex, 'audit_events', 'actor_name', 'subject_name', 'workspace_id', 'workspace_name', 'comment');
}
