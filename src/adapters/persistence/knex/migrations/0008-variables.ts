import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { lockTables } from './lock-tables.js';

/**
 * The variables of workspaces. Short columns come before the value, so that adding up sizes, or finding values sealed
 * with another key, reads none of the values.
 */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  // Also what the migrations up to 0011 change, which are made in the same transaction.
  await lockTables(knex, { changed: ['runs', 'workspaces'], referredTo: ['policy_sets', 'organizations'] });
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
