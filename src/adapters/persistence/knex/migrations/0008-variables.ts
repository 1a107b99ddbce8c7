import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

/**
 * Locks every table that this migration and those up to 0011 change or refer to, all at once or not at all.
 * Transactions lock these tables in different orders, so waiting for the second while holding the first could deadlock.
 * A failed attempt releases all of them after a moment, before the database detects a deadlock.
 */
const locks = `do $$ begin loop
  begin
    set local lock_timeout = '500ms';
    lock table runs, workspaces in access exclusive mode;
    lock table policy_sets, organizations in share row exclusive mode;
    exit;
  exception when lock_not_available then
    perform pg_sleep(0.05);
  end;
end loop;
set local lock_timeout = 0;
end $$`;

/**
 * The variables of workspaces. Short columns come before the value, so that adding up sizes, or finding values sealed
 * with another key, reads none of the values.
 */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  if (knex.client.driverName === 'pg') await knex.raw(locks);
  await knex.schema.createTable('variables', (table) => {
    const { id, text, maybeText, flag, integer, reference, revision } = column(table);
    id();
    reference('workspace_id', 'workspaces.id');
    text('key');
    text('category');
    flag('hcl');
    flag('sensitive');
    text('created_at');
    revision();
    integer('size');
    // The prefix of the sealed value, which names its key.
    text('sealed_by');
    maybeText('description');
    text('sealed_value');
  });
  await knex.raw('create unique index variables_of_workspace on variables (workspace_id, key, category)');
  await knex.raw('create index variables_sealed on variables (sealed_by, id)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('variables');
}
