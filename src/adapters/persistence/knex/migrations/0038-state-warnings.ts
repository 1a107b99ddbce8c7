import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

/** The reasons for which parts of a state are not shown. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('state_version_contents', (table) => {
    columnsFor(knex)(table).text('warnings').defaultTo('[]');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table state_version_contents drop column warnings');
}
