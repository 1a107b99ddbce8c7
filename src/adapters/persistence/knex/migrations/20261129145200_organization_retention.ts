import type { Knex } from 'knex';
import { addColumns, dropColumns } from './shared/columns.js';

export async function up(knex: Knex): Promise<void> {
  await addColumns(knex, 'organizations', (column) => {
    column.maybeText('retention_id');
    column.maybeInteger('retention_days');
  });
}

export async function down(knex: Knex): Promise<void> {
  await dropColumns(knex, 'organizations', 'retention_id', 'retention_days');
}
