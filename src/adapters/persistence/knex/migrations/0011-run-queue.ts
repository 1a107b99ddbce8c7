import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

/** What waits or is executed, which is little among all runs. SQLite takes the index where these are asked for in this order. */
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
const says = `update runs set organization_id = ${ofWorkspace('new.workspace_id')} where id = new.id;`;
const trigger = 'create trigger runs_in_organization after insert on runs for each row';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('runs', (table) => {
    columnsFor(knex)(table).maybeText('organization_id');
  });
  await knex.raw(`update runs set organization_id = ${ofWorkspace('runs.workspace_id')}`);
  const statuses = queued.map((status) => `'${status}'`).join(', ');
  await knex.raw(`create index runs_queued on runs (organization_id, created_at, id) where status in (${statuses})`);
  if (knex.client.driverName !== 'pg') {
    await knex.raw(`${trigger} begin ${says} end`);
    return;
  }
  await knex.raw(
    `create function runs_in_organization() returns trigger language plpgsql as $$ begin ${says} return null; end $$`,
  );
  await knex.raw(`${trigger} execute function runs_in_organization()`);
}

export async function down(knex: Knex): Promise<void> {
  const postgres = knex.client.driverName === 'pg';
  await knex.raw(`drop trigger runs_in_organization${postgres ? ' on runs' : ''}`);
  if (postgres) await knex.raw('drop function runs_in_organization()');
  await knex.raw('drop index runs_queued');
  await knex.raw('alter table runs drop column organization_id');
}
