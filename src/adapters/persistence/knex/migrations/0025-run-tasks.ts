import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { lockTables } from './lock-tables.js';

const heldBefore = [
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
const queuedBefore = [
  'pending',
  'confirmed',
  'fetching',
  'plan_queued',
  'apply_queued',
  'planning',
  'post_plan_running',
  'applying',
];

/** In the order in which statements list them: SQLite does not find an index whose condition has another. */
const held = [
  'fetching',
  'plan_queued',
  'pre_plan_running',
  'pre_plan_completed',
  'planning',
  'planned',
  'post_plan_running',
  'post_plan_awaiting_decision',
  'post_plan_completed',
  'pre_apply_running',
  'pre_apply_completed',
  'apply_queued',
  'applying',
];
const queued = [
  'pending',
  'confirmed',
  'fetching',
  'plan_queued',
  'apply_queued',
  'pre_plan_running',
  'pre_plan_completed',
  'pre_apply_running',
  'pre_apply_completed',
  'planning',
  'post_plan_running',
  'applying',
];

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ');

/** The partial indexes of runs by status. */
async function indexRuns(knex: Knex, holding: readonly string[], inQueue: readonly string[]) {
  for (const index of ['runs_holding', 'runs_queued']) await knex.raw(`drop index ${index}`);
  await knex.raw(
    `create unique index runs_holding on runs (workspace_id)
       where plan_only = FALSE and status in (${quoted(holding)})`,
  );
  await knex.raw(
    `create index runs_queued on runs (organization_id, created_at, id) where status in (${quoted(inQueue)})`,
  );
}

const indexes = [
  'unique index run_tasks_name on run_tasks (organization_id, name)',
  'index run_tasks_by_name on run_tasks (organization_id, lower(name), id)',
  'index workspace_tasks_of_workspace on workspace_tasks (workspace_id, created_at, id)',
  'unique index workspace_tasks_once on workspace_tasks (run_task_id, workspace_id)',
  'unique index task_results_position on task_results (task_stage_id, position)',
  'unique index task_results_token on task_results (token_digest) where token_digest is not null',
  'index task_results_due on task_results (deadline, id) where deadline is not null',
];

/** Run tasks, their attachments to workspaces, and what they said about runs. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, { changed: ['runs', 'task_stages'], referredTo: ['organizations', 'workspaces'] });
  await knex.schema.createTable('run_tasks', (table) => {
    const { id, text, maybeText, flag, reference, revision } = column(table);
    id();
    reference('organization_id', 'organizations.id');
    text('name');
    text('url');
    text('description');
    flag('enabled');
    maybeText('hmac_key');
    text('created_at');
    revision();
  });
  await knex.schema.createTable('workspace_tasks', (table) => {
    const { id, text, reference, revision } = column(table);
    id();
    reference('workspace_id', 'workspaces.id');
    reference('run_task_id', 'run_tasks.id');
    text('enforcement_level');
    text('stages');
    text('created_at');
    revision();
  });
  await knex.schema.alterTable('task_stages', (table) => {
    // The number of results: those of a stage without run tasks are not queried.
    column(table).integer('results').defaultTo(0);
  });
  await knex.schema.createTable('task_results', (table) => {
    const { id, text, maybeText, flag, integer, reference } = column(table);
    id();
    reference('task_stage_id', 'task_stages.id');
    integer('position');
    // No references: a result outlives its task.
    text('run_task_id');
    text('workspace_task_id');
    text('task_name');
    text('task_url');
    text('enforcement_level');
    flag('speculative');
    text('status');
    text('message');
    text('url');
    maybeText('token_digest');
    maybeText('deadline');
    text('status_timestamps');
    text('created_at');
    text('updated_at');
  });
  await knex.schema.createTable('task_result_outcomes', (table) => {
    const { text, integer, reference } = column(table);
    reference('task_result_id', 'task_results.id');
    integer('position');
    text('outcome_id');
    text('description');
    text('body');
    text('url');
    text('tags');
    table.primary(['task_result_id', 'position']);
  });
  await knex.raw('drop index task_stages_of_run');
  await knex.raw('create unique index task_stages_of_run on task_stages (run_id, stage)');
  for (const index of indexes) await knex.raw(`create ${index}`);
  await indexRuns(knex, held, queued);
}

/** Runs that wait for run tasks are an error to the release before, which does not know their statuses. */
export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('task_result_outcomes');
  await knex.schema.dropTable('task_results');
  await knex('task_stages').whereNot('stage', 'post_plan').delete();
  await knex.raw('drop index task_stages_of_run');
  await knex.raw('create unique index task_stages_of_run on task_stages (run_id)');
  await knex.raw('alter table task_stages drop column results');
  await knex.schema.dropTable('workspace_tasks');
  await knex.schema.dropTable('run_tasks');
  await indexRuns(knex, heldBefore, queuedBefore);
}
