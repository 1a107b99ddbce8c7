import type { Knex } from 'knex';
import { columnsFor } from './shared/columns.js';
import { lockTables } from './shared/lock-tables.js';

export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo: ['workspaces'] });
  await knex.schema.createTable('run_triggers', (table) => {
    const column = columnsFor(knex)(table);
    column.id();
    column.reference('workspace_id', 'workspaces.id').onDelete('cascade');
    column.reference('source_id', 'workspaces.id').onDelete('cascade');
    column.text('created_by_kind', 'created_by', 'created_at');
    table.unique(['workspace_id', 'source_id'], { indexName: 'run_triggers_once' });
  });
  await knex.raw('create index run_triggers_of_source on run_triggers (source_id, id)');
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo: ['workspaces'] });
  await knex.schema.dropTable('run_triggers');
}
