import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'runs_counted';

/**
 * Finds the runs of an organization by status: its queue, on Postgres, which plans for unknown statuses and would not take the
 * index of the queue alone. A new status writes into every index of the row anyway. SQLite would take this one for the queue.
 */
export async function up(knex: Knex): Promise<void> {
  if (knex.client.driverName !== 'pg') return;
  await createIndex(knex, { name, definition: 'on runs (organization_id, status)' });
}

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
