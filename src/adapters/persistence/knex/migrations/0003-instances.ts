import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

/** What several processes on one database need to know of each other. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await knex.schema.alterTable('effects', (table) => {
    column(table).maybeText('leased_until');
  });
  await knex.schema.createTable('signing_keys', (table) => {
    const { text } = column(table);
    table.specificType('fingerprint', 'text').primary();
    text('added_at');
  });
  await knex.schema.createTable('request_rates', (table) => {
    const { text, integer } = column(table);
    text('instance');
    text('caller');
    integer('demand');
    text('noted_at');
    table.primary(['instance', 'caller']);
  });
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
