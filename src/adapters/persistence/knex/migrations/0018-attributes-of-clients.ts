import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { lockTables } from './lock-tables.js';

const indexes = [
  'index workspace_state_consumers_of_consumer on workspace_state_consumers (consumer_id)',
  'index workspaces_destroyed_at on workspaces (auto_destroy_at) where auto_destroy_at is not null',
];

const ofWorkspaces = ['allow_destroy_plan', 'auto_apply_run_trigger', 'assessments_enabled', 'auto_destroy_at'];
ofWorkspaces.push('auto_destroy_by_kind', 'auto_destroy_by_id', 'file_triggers_enabled', 'global_remote_state');
ofWorkspaces.push('queue_all_runs', 'source', 'source_name', 'source_url', 'speculative_enabled');
ofWorkspaces.push('structured_run_output_enabled', 'trigger_prefixes', 'trigger_patterns');

/** The kind under which its contents are read, which an effect of its own orders for each current state of before. */
const reading = 'read-state-outputs';

/**
 * Attributes that clients of this API family send and read: settings of workspaces, decisions on runs, and the contents of
 * states. Rows of before have the defaults that clients assume.
 */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, { changed: ['runs', 'workspaces', 'effects'], referredTo: ['state_versions'] });
  await knex.schema.alterTable('workspaces', (table) => {
    const { text, maybeText, flag } = column(table);
    flag('allow_destroy_plan').defaultTo(true);
    flag('auto_apply_run_trigger').defaultTo(false);
    flag('assessments_enabled').defaultTo(false);
    maybeText('auto_destroy_at');
    maybeText('auto_destroy_by_kind');
    maybeText('auto_destroy_by_id');
    flag('file_triggers_enabled').defaultTo(true);
    flag('global_remote_state').defaultTo(false);
    flag('queue_all_runs').defaultTo(false);
    text('source').defaultTo('tfe-api');
    maybeText('source_name');
    maybeText('source_url');
    flag('speculative_enabled').defaultTo(true);
    flag('structured_run_output_enabled').defaultTo(false);
    text('trigger_prefixes').defaultTo('[]');
    text('trigger_patterns').defaultTo('[]');
  });
  await knex.schema.alterTable('runs', (table) => {
    column(table).text('decisions').defaultTo('[]');
  });
  await knex.schema.createTable('workspace_state_consumers', (table) => {
    const { reference } = column(table);
    reference('workspace_id', 'workspaces.id');
    reference('consumer_id', 'workspaces.id');
    table.primary(['workspace_id', 'consumer_id']);
  });
  await knex.schema.createTable('state_version_contents', (table) => {
    const { text, maybeText, integer, reference } = column(table);
    reference('state_version_id', 'state_versions.id');
    maybeText('terraform_version');
    integer('resource_count');
    text('resources');
    table.primary(['state_version_id']);
  });
  for (const index of indexes) await knex.raw(`create ${index}`);
  await knex.raw(
    `insert into effects (subject, kind, payload, attempts)
       select sv.id, '${reading}', '{"stateVersionId":"' || sv.id || '"}', 0
       from workspaces as w join state_versions as sv on sv.workspace_id = w.id and sv.sequence = w.last_state_sequence
       where w.deleted_at is null and sv.outputs_read = TRUE
       order by sv.id`,
  );
}

/** Orders to read states whose outputs are known go: nothing was left to read of those before. */
export async function down(knex: Knex): Promise<void> {
  const known = knex('state_versions').where('outputs_read', true).select('id');
  await knex('effects').where('kind', reading).whereIn('subject', known).delete();
  for (const name of ['workspaces_destroyed_at', 'workspace_state_consumers_of_consumer']) {
    await knex.raw(`drop index ${name}`);
  }
  await knex.schema.dropTable('state_version_contents');
  await knex.schema.dropTable('workspace_state_consumers');
  await knex.raw('alter table runs drop column decisions');
  for (const name of ofWorkspaces) await knex.raw(`alter table workspaces drop column ${name}`);
}
