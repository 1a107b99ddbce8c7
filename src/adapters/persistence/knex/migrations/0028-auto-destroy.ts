import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

/** How long after the last activity a workspace is destroyed. Adding a nullable column rewrites no row. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('workspaces', (table) => {
    columnsFor(knex)(table).maybeText('auto_destroy_activity_duration');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table workspaces drop column auto_destroy_activity_duration');
}
