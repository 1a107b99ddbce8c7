import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

/**
 * The variables of workspaces. What is short comes before the value, so that whoever adds up sizes, or looks for values
 * sealed with another key, reads none of the values.
 */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
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
    // How the sealed value begins, which names its key.
    text('sealed_by');
    maybeText('description');
    text('sealed_value');
  });
  await knex.raw('create unique index variables_of_workspace on variables (workspace_id, key, category)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('variables');
}
