import type { Knex } from 'knex';
import { columnsFor } from './shared/columns.js';
import { lockTables } from './shared/lock-tables.js';

export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo: ['workspaces'] });
  await knex.schema.createTable('notification_configurations', (table) => {
    const column = columnsFor(knex)(table);
    column.id();
    column.reference('workspace_id', 'workspaces.id').onDelete('cascade');
    column.text('name', 'destination_type');
    column.flag('enabled');
    column.maybeText('url', 'token');
    column.text('triggers', 'email_addresses', 'user_ids', 'deliveries', 'created_at', 'updated_at');
    column.revision();
  });
  await knex.raw(
    'create index notification_configurations_of_workspace on notification_configurations (workspace_id, created_at, id)',
  );
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo: ['workspaces'] });
  await knex.schema.dropTable('notification_configurations');
}
