import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'runs_counted';

/**
 * Counts the runs of an organization by status. A new status writes into every index of the row anyway. SQLite counts them in the
 * index that sorts them, and would take this one for the queue.
 */
export async function up(knex: Knex): Promise<void> {
  if (knex.client.driverName !== 'pg') return;
  await createIndex(knex, { name, definition: 'on runs (organization_id, status)' });
}

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
