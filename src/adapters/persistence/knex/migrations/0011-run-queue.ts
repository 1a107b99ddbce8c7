import type { Knex } from 'knex';

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

export async function up(knex: Knex): Promise<void> {
  const statuses = queued.map((status) => `'${status}'`).join(', ');
  await knex.raw(`create index runs_queued on runs (created_at, id) where status in (${statuses})`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index runs_queued');
}
