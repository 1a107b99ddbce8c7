import type { Knex } from 'knex';
import { addColumns, dropColumns } from './shared/columns.js';

/** False for organizations that exist already, whose admins of workspaces may delete what manages resources. */
export async function up(knex: Knex): Promise<void> {
  await addColumns(knex, 'organizations', (column) => column.flag('force_delete_by_owners').defaultTo(false));
}

export async function down(knex: Knex): Promise<void> {
  await dropColumns(knex, 'organizations', 'force_delete_by_owners');
}
