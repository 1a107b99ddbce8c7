import type { Knex } from 'knex';
import { type Columns, columnsFor } from './shared/columns.js';
import { lockTables } from './shared/lock-tables.js';

const table = 'notification_configurations';
const locked = { changed: table, referredTo: ['projects', 'teams'] };

const others = (column: Columns): void => {
  column.maybeReference('project_id', 'projects.id').onDelete('cascade');
  column.maybeReference('team_id', 'teams.id').onDelete('cascade');
};

const kept =
  'id, workspace_id, name, destination_type, enabled, url, token, triggers, email_addresses, user_ids, deliveries, created_at, updated_at, revision';

/**
 * SQLite cannot change whether a column may be null: the rows are copied. A workspace has at most 20 of them, and no
 * other table refers to this one.
 */
async function copyTable(knex: Knex, workspace: 'reference' | 'maybeReference', more: typeof others): Promise<void> {
  const former = `${table}_former`;
  await knex.raw(`drop index ${table}_of_workspace`);
  await knex.schema.renameTable(table, former);
  await knex.schema.createTable(table, (created) => {
    const column = columnsFor(knex)(created);
    column.id();
    column[workspace]('workspace_id', 'workspaces.id').onDelete('cascade');
    column.text('name', 'destination_type');
    column.flag('enabled');
    column.maybeText('url', 'token');
    column.text('triggers', 'email_addresses', 'user_ids', 'deliveries', 'created_at', 'updated_at');
    column.revision();
    more(column);
  });
  await knex.raw(`insert into ${table} (${kept}) select ${kept} from ${former}`);
  await knex.schema.dropTable(former);
  await knex.raw(`create index ${table}_of_workspace on ${table} (workspace_id, created_at, id)`);
}

export async function up(knex: Knex): Promise<void> {
  if (knex.client.driverName !== 'pg') return copyTable(knex, 'maybeReference', others);
  await lockTables(knex, locked);
  await knex.raw(`alter table ${table} alter column workspace_id drop not null`);
  await knex.schema.alterTable(table, (altered) => others(columnsFor(knex)(altered)));
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, locked);
  await knex(table).whereNull('workspace_id').delete();
  if (knex.client.driverName !== 'pg') return copyTable(knex, 'reference', () => {});
  await knex.raw(`alter table ${table} drop column project_id, drop column team_id`);
  await knex.raw(`alter table ${table} alter column workspace_id set not null`);
}
