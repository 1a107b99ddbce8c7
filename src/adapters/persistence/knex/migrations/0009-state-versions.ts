import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

const indexes = [
  // Dense among a workspace's finalized versions: a page is a range of it. Null for others.
  'unique index state_versions_sequence on state_versions (workspace_id, sequence)',
  `unique index state_versions_current on state_versions (workspace_id, serial) where status = 'finalized'`,
  `unique index state_versions_pending on state_versions (run_id) where status = 'pending'`,
  'index state_versions_of_run on state_versions (run_id)',
  'unique index state_versions_bundle on state_versions (bundle_key) where bundle_key is not null',
  'unique index state_version_outputs_listed on state_version_outputs (state_version_id, name)',
  'index state_version_outputs_sealed on state_version_outputs (sealed_by, id) where sealed_by is not null',
  'unique index run_artifacts_bundle on run_artifacts (bundle_key)',
];

/** The state versions of workspaces with their outputs, and the artifacts of plans. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await knex.schema.alterTable('workspaces', (table) => {
    table.integer('last_state_sequence').notNullable().defaultTo(0);
  });
  await knex.schema.createTable('state_versions', (table) => {
    const { id, text, maybeText, reference } = column(table);
    id();
    reference('workspace_id', 'workspaces.id');
    reference('run_id', 'runs.id');
    table.integer('sequence');
    text('status');
    table.bigInteger('serial').notNullable();
    text('lineage');
    text('md5');
    table.bigInteger('size').notNullable();
    maybeText('bundle_key');
    maybeText('bundle_sha256');
    maybeText('created_by_kind');
    maybeText('created_by_id');
    text('created_at');
  });
  await knex.schema.createTable('state_version_outputs', (table) => {
    const { id, text, maybeText, flag, integer, reference } = column(table);
    id();
    reference('state_version_id', 'state_versions.id');
    text('name');
    text('type');
    flag('sensitive');
    // The prefix of the sealed value, which names its key; null where it is not sealed.
    maybeText('sealed_by');
    // The value's size in characters. It comes first, so that adding up sizes reads none of the values.
    integer('size');
    text('value');
  });
  await knex.schema.createTable('run_artifacts', (table) => {
    const { text, reference } = column(table);
    reference('run_id', 'runs.id');
    text('name');
    text('bundle_key');
    table.bigInteger('bundle_bytes').notNullable();
    text('bundle_sha256');
    table.primary(['run_id', 'name']);
  });
  for (const index of indexes) await knex.raw(`create ${index}`);
}

/** States are lost. */
export async function down(knex: Knex): Promise<void> {
  for (const table of ['run_artifacts', 'state_version_outputs', 'state_versions']) await knex.schema.dropTable(table);
  await knex.raw('alter table workspaces drop column last_state_sequence');
}
