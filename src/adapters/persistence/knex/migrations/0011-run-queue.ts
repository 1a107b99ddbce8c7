import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { displace, place, type Trigger, tablesOf } from './counted-lists.js';

/**
 * The states of runs that wait or are executed, which are few among all runs. SQLite takes the index where these are asked
 * for in this order.
 */
const queued = [
  'pending',
  'confirmed',
  'fetching',
  'plan_queued',
  'apply_queued',
  'planning',
  'post_plan_running',
  'applying',
];

const ofWorkspace = (run: string): string => `(select w.organization_id from workspaces as w where w.id = ${run})`;

/** The database itself says whose queue a run is in: what does not know the column, as the release before, cannot forget it. */
const triggers: Readonly<Record<string, Trigger>> = {
  runs_in_organization: {
    on: 'runs',
    at: 'insert',
    statements: [`update runs set organization_id = ${ofWorkspace('new.workspace_id')} where id = new.id`],
  },
};

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('runs', (table) => {
    columnsFor(knex)(table).maybeText('organization_id');
  });
  await knex.raw(`update runs set organization_id = ${ofWorkspace('runs.workspace_id')}`);
  const statuses = queued.map((status) => `'${status}'`).join(', ');
  await knex.raw(`create index runs_queued on runs (organization_id, created_at, id) where status in (${statuses})`);
  await place(knex, triggers);
}

export async function down(knex: Knex): Promise<void> {
  await displace(knex, tablesOf(triggers));
  await knex.raw('drop index runs_queued');
  await knex.raw('alter table runs drop column organization_id');
}
