import type { Knex } from 'knex';
import { addColumns, dropColumns } from './shared/columns.js';

export async function up(knex: Knex): Promise<void> {
  await addColumns(knex, 'projects', (column) => column.maybeText('default_execution_mode', 'default_agent_pool_id'));
}

export async function down(knex: Knex): Promise<void> {
  await dropColumns(knex, 'projects', 'default_execution_mode', 'default_agent_pool_id');
}
