import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { lockTables } from './lock-tables.js';

const columns = ['code_digest', 'code_challenge', 'code_redirect_uri', 'code_expires_at'];

/** The code that `terraform login` redeems: at most one for each session. Nullable columns rewrite no row. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, { changed: ['sessions'] });
  await knex.schema.alterTable('sessions', (table) => {
    for (const name of columns) column(table).maybeText(name);
  });
  await knex.raw('create unique index sessions_code on sessions (code_digest) where code_digest is not null');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index sessions_code');
  for (const name of columns) await knex.raw(`alter table sessions drop column ${name}`);
}
