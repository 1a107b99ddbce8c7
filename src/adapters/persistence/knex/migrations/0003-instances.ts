import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

/** The facts that several processes on one database need to know of each other. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await knex.schema.alterTable('effects', (table) => {
    column(table).maybeText('leased_until');
  });
  await knex.schema.createTable('signing_keys', (table) => {
    const { text, integer } = column(table);
    text('fingerprint').primary();
    integer('place').unique();
    text('noted_at');
  });
  await knex.schema.createTable('request_rates', (table) => {
    const { text } = column(table);
    text('instance').primary();
    text('demand');
    text('noted_at');
  });
  // Rows written every second and worthless after three need no log.
  if (knex.client.driverName === 'pg') await knex.raw('alter table request_rates set unlogged');
  await knex.raw(
    `create index configuration_versions_uploaded on configuration_versions (created_at, id) where status = 'uploaded'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index configuration_versions_uploaded');
  await knex.schema.dropTable('request_rates');
  await knex.schema.dropTable('signing_keys');
  await knex.schema.alterTable('effects', (table) => table.dropColumn('leased_until'));
}
