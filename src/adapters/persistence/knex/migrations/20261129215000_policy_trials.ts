import type { Knex } from 'knex';
import { columnsFor } from './shared/columns.js';
import { lockTables } from './shared/lock-tables.js';

const referredTo = ['organizations', 'runs', 'workspaces'];

/** Policy sets as they would be, evaluated against plans that exist: the trial, its plans, and its parts by workspace. */
export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo });
  await knex.schema.createTable('policy_trials', (table) => {
    const column = columnsFor(knex)(table);
    column.id();
    column.reference('organization_id', 'organizations.id').onDelete('cascade');
    column.text(
      'status',
      'policies',
      'parameters',
      'archive_sha256',
      'requested_by_kind',
      'requested_by',
      'status_timestamps',
    );
    column.maybeText('policy_set_id', 'failure', 'policy_tool_version', 'due_at', 'code');
    column.integer('archive_bytes', 'evaluated_seconds');
    column.text('created_at', 'updated_at');
    column.revision();
  });
  await knex.schema.createTable('policy_trial_parts', (table) => {
    const column = columnsFor(knex)(table);
    column.reference('trial_id', 'policy_trials.id').onDelete('cascade');
    column.reference('workspace_id', 'workspaces.id').onDelete('cascade');
    column.maybeText('lease_pool_id', 'lease_agent', 'lease_digest', 'lease_expires_at');
    table.primary(['trial_id', 'workspace_id']);
  });
  await knex.schema.createTable('policy_trial_plans', (table) => {
    const column = columnsFor(knex)(table);
    column.reference('trial_id', 'policy_trials.id').onDelete('cascade');
    column.reference('run_id', 'runs.id').onDelete('cascade');
    column.reference('workspace_id', 'workspaces.id').onDelete('cascade');
    column.integer('position');
    column.maybeText(
      'before_outcome_id',
      'before_status',
      'before_version',
      'verdict',
      'reason',
      'now_version',
      'outcomes',
    );
    table.primary(['trial_id', 'run_id']);
  });
  for (const definition of [
    'policy_trials_of_organization on policy_trials (organization_id, created_at, id)',
    'policy_trials_open on policy_trials (created_at, id, due_at) where due_at is not null',
    'policy_trials_by_age on policy_trials (created_at)',
    'policy_trial_parts_of_workspace on policy_trial_parts (workspace_id)',
    'policy_trial_plans_of_run on policy_trial_plans (run_id)',
    'policy_trial_plans_of_workspace on policy_trial_plans (workspace_id)',
  ]) {
    await knex.raw(`create index ${definition}`);
  }
  await knex.raw(
    'create unique index policy_trial_parts_lease on policy_trial_parts (lease_digest) where lease_digest is not null',
  );
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo });
  for (const table of ['policy_trial_plans', 'policy_trial_parts', 'policy_trials']) {
    await knex.schema.dropTable(table);
  }
}
