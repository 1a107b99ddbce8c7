import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

/** The statuses of the two partial indexes; a status that is added later needs an index of its own. */
const holding = [
  'fetching',
  'plan_queued',
  'planning',
  'planned',
  'post_plan_running',
  'post_plan_awaiting_decision',
  'post_plan_completed',
  'apply_queued',
  'applying',
];
const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ');

const indexes = [
  'unique index runs_sequence on runs (workspace_id, sequence)',
  // Enforces one active run per workspace, in case the application does not.
  `unique index runs_holding on runs (workspace_id) where plan_only = FALSE and status in (${quoted(holding)})`,
  `index runs_waiting on runs (workspace_id, sequence) where status in ('pending', 'confirmed')`,
  `index runs_claimable on runs (created_at, id) where status in ('plan_queued', 'apply_queued')`,
  'unique index runs_lease on runs (lease_digest) where lease_digest is not null',
  'index runs_lease_expiry on runs (lease_expires_at) where lease_expires_at is not null',
  'index runs_own_files on runs (own_files) where own_files is not null',
  'unique index task_stages_of_run on task_stages (run_id)',
  'index policy_evaluations_of_stage on policy_evaluations (task_stage_id, kind)',
  'unique index policy_set_outcomes_position on policy_set_outcomes (policy_evaluation_id, position)',
  'index policy_outcomes_verdict on policy_outcomes (policy_set_outcome_id, status, enforcement_level)',
  'unique index policy_sets_name on policy_sets (organization_id, name)',
  'index policy_sets_by_name on policy_sets (organization_id, lower(name), id)',
  'index policy_set_workspaces_of_workspace on policy_set_workspaces (workspace_id)',
  'unique index agent_pools_name on agent_pools (organization_id, name)',
  'unique index agent_tokens_secret_digest on agent_tokens (secret_digest)',
  'index agent_tokens_of_pool on agent_tokens (pool_id, created_at, id)',
  'unique index workspaces_webhook on workspaces (webhook_id) where webhook_id is not null',
  'index workspaces_agent_pool on workspaces (agent_pool_id) where agent_pool_id is not null',
  'index ingress_attributes_commit on ingress_attributes (commit_sha)',
  'index vcs_deliveries_of_version on vcs_deliveries (configuration_version_id)',
  'index effects_due on effects (not_before, id)',
];

/** From the leaves down. */
const tables = [
  'vcs_deliveries',
  'run_log_chunks',
  'policy_outcomes',
  'policy_set_outcomes',
  'policy_evaluations',
  'task_stages',
  'policy_set_workspaces',
  'policy_sets',
  'agent_tokens',
  'agent_pools',
];

export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);

  await knex.schema.createTable('agent_pools', (table) => {
    const { id, text, reference } = column(table);
    id();
    reference('organization_id', 'organizations.id');
    text('name');
    text('created_at');
  });
  await knex.schema.createTable('agent_tokens', (table) => {
    const { id, text, maybeText, reference } = column(table);
    id();
    reference('pool_id', 'agent_pools.id');
    text('secret_digest');
    text('description');
    maybeText('created_by_kind');
    maybeText('created_by_id');
    text('created_at');
    maybeText('last_used_at');
  });
  await knex.schema.alterTable('workspaces', (table) => {
    const { maybeText } = column(table);
    maybeText('agent_pool_id');
    maybeText('clone_url');
    maybeText('branch');
    maybeText('credential');
    maybeText('webhook_id');
    maybeText('webhook_key');
    maybeText('linked_by_kind');
    maybeText('linked_by_id');
    table.integer('last_run_sequence').notNullable().defaultTo(0);
  });
  await knex.schema.alterTable('configuration_versions', (table) => {
    const { maybeText } = column(table);
    maybeText('created_by_kind');
    maybeText('created_by_id');
    maybeText('purge_at');
  });
  await knex.schema.createTable('vcs_deliveries', (table) => {
    const { text, reference } = column(table);
    reference('workspace_id', 'workspaces.id');
    text('delivery');
    reference('configuration_version_id', 'configuration_versions.id');
    table.primary(['workspace_id', 'delivery']);
  });

  // The table is still empty: there was no way to create a run.
  await knex.schema.dropTable('runs');
  await knex.schema.createTable('runs', (table) => {
    const { id, text, maybeText, flag, integer, reference, revision } = column(table);
    id();
    reference('workspace_id', 'workspaces.id');
    reference('configuration_version_id', 'configuration_versions.id');
    integer('sequence');
    text('status');
    text('source');
    text('options');
    flag('plan_only');
    flag('save_plan');
    flag('auto_apply');
    maybeText('created_by_kind');
    maybeText('created_by');
    flag('has_changes');
    flag('cancel_requested');
    maybeText('planned');
    maybeText('applied');
    maybeText('failure');
    maybeText('own_files');
    maybeText('lease_pool_id');
    maybeText('lease_agent');
    maybeText('lease_digest');
    maybeText('lease_expires_at');
    text('status_timestamps');
    text('created_at');
    revision();
  });
  await knex.schema.createTable('run_log_chunks', (table) => {
    const { text, reference } = column(table);
    reference('run_id', 'runs.id');
    text('phase');
    table.bigInteger('start_byte').notNullable();
    table.bigInteger('end_byte').notNullable();
    table.binary('bytes').notNullable();
    table.primary(['run_id', 'phase', 'start_byte']);
  });

  await knex.schema.createTable('policy_sets', (table) => {
    const { id, text, maybeText, flag, reference, revision } = column(table);
    id();
    reference('organization_id', 'organizations.id');
    text('name');
    maybeText('description');
    text('kind');
    flag('global');
    flag('overridable');
    text('policies');
    text('created_at');
    text('updated_at');
    revision();
  });
  await knex.schema.createTable('policy_set_workspaces', (table) => {
    const { reference } = column(table);
    reference('policy_set_id', 'policy_sets.id');
    reference('workspace_id', 'workspaces.id');
    table.primary(['policy_set_id', 'workspace_id']);
  });
  await knex.schema.createTable('task_stages', (table) => {
    const { id, text, reference, revision } = column(table);
    id();
    reference('run_id', 'runs.id');
    text('stage');
    text('status');
    text('status_timestamps');
    text('created_at');
    text('updated_at');
    revision();
  });
  await knex.schema.createTable('policy_evaluations', (table) => {
    const { id, text, flag, reference } = column(table);
    id();
    reference('task_stage_id', 'task_stages.id');
    text('kind');
    text('status');
    text('policy_tool_version');
    text('policy_sets');
    text('result_count');
    flag('overridable');
    text('status_timestamps');
    text('created_at');
    text('updated_at');
  });
  await knex.schema.createTable('policy_set_outcomes', (table) => {
    const { id, text, maybeText, flag, integer, reference } = column(table);
    id();
    reference('policy_evaluation_id', 'policy_evaluations.id');
    integer('position');
    text('policy_set_name');
    maybeText('policy_set_description');
    flag('overridable');
    text('policy_tool_version');
    maybeText('error');
    text('warnings');
  });
  await knex.schema.createTable('policy_outcomes', (table) => {
    const { text, maybeText, integer, reference } = column(table);
    reference('policy_set_outcome_id', 'policy_set_outcomes.id');
    integer('position');
    text('policy_name');
    text('description');
    maybeText('query');
    text('status');
    maybeText('enforcement_level');
    maybeText('output');
    table.primary(['policy_set_outcome_id', 'position']);
    // Only an errored outcome has no level.
    table.check("(status = 'errored') = (enforcement_level is null)");
  });
  const runIndexes = [
    'index runs_of_workspace on runs (workspace_id, status)',
    'index runs_of_version on runs (configuration_version_id, status)',
    'index runs_of_creator on runs (created_by, status)',
  ];
  for (const index of [...runIndexes, ...indexes]) await knex.raw(`create ${index}`);
}

/** Runs, policies and agents are lost, and the columns they gave to others. */
export async function down(knex: Knex): Promise<void> {
  for (const index of ['workspaces_webhook', 'workspaces_agent_pool', 'ingress_attributes_commit', 'effects_due']) {
    await knex.raw(`drop index ${index}`);
  }
  for (const table of tables) await knex.schema.dropTable(table);
  await knex.schema.dropTable('runs');
  await knex.schema.createTable('runs', (table) => {
    const { id, text, maybeText, reference } = columnsFor(knex)(table);
    id();
    reference('workspace_id', 'workspaces.id');
    reference('configuration_version_id', 'configuration_versions.id');
    text('status');
    maybeText('created_by');
  });
  await knex.raw('create index runs_of_workspace on runs (workspace_id, status)');
  await knex.raw('create index runs_of_version on runs (configuration_version_id, status)');
  await knex.raw('create index runs_of_creator on runs (created_by, status)');
  const added = {
    workspaces: [
      'agent_pool_id',
      'clone_url',
      'branch',
      'credential',
      'webhook_id',
      'webhook_key',
      'linked_by_kind',
      'linked_by_id',
      'last_run_sequence',
    ],
    configuration_versions: ['created_by_kind', 'created_by_id', 'purge_at'],
  };
  for (const [table, columns] of Object.entries(added)) {
    for (const column of columns) await knex.raw(`alter table ${table} drop column ${column}`);
  }
}
