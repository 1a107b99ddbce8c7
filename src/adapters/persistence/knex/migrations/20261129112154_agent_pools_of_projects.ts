import type { Knex } from 'knex';
import { columnsFor } from './shared/columns.js';
import { lockTables } from './shared/lock-tables.js';

const referredTo = ['agent_pools', 'projects'];

export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo });
  await knex.schema.createTable('agent_pool_projects', (table) => {
    const column = columnsFor(knex)(table);
    column.reference('agent_pool_id', 'agent_pools.id').onDelete('cascade');
    column.reference('project_id', 'projects.id').onDelete('cascade');
    table.primary(['agent_pool_id', 'project_id']);
  });
  await knex.raw('create index agent_pool_projects_of_project on agent_pool_projects (project_id)');
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo });
  await knex.schema.dropTable('agent_pool_projects');
}
