import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { lockTables } from './lock-tables.js';

const indexes = {
  run_comments_of_run: 'run_comments (run_id, created_at, id)',
  // Only workspaces with a policy that removes, and only rows whose files are still there.
  workspaces_retention: 'workspaces (id) where retention_days is not null',
  configuration_versions_kept: `configuration_versions (workspace_id, created_at, id) where status = 'uploaded'`,
  state_versions_kept: `state_versions (workspace_id, created_at, id) where status = 'finalized'`,
} as const;

/** Comments on runs, and how long a workspace keeps the files of its versions and states. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, {
    changed: ['workspaces'],
    referredTo: ['runs', 'configuration_versions', 'state_versions'],
  });
  await knex.schema.createTable('run_comments', (table) => {
    const { id, text, reference } = column(table);
    id();
    reference('run_id', 'runs.id');
    text('body');
    text('created_by_kind');
    text('created_by');
    text('created_at');
  });
  await knex.schema.alterTable('workspaces', (table) => {
    // Null without a policy. A policy without days keeps everything.
    column(table).maybeText('retention_id');
    table.integer('retention_days');
  });
  for (const [name, on] of Object.entries(indexes)) await knex.raw(`create index ${name} on ${on}`);
}

/** Comments are lost. Files that a policy removed stay removed. */
export async function down(knex: Knex): Promise<void> {
  for (const name of Object.keys(indexes)) await knex.raw(`drop index ${name}`);
  await knex.schema.dropTable('run_comments');
  for (const name of ['retention_id', 'retention_days']) await knex.raw(`alter table workspaces drop column ${name}`);
}
