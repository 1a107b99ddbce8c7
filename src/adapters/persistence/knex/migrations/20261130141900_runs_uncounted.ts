import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'runs_counted';

/** Nothing counts the runs of an organization any more. */
export const up = (knex: Knex): Promise<void> => dropIndex(knex, name);

export async function down(knex: Knex): Promise<void> {
  if (knex.client.driverName !== 'pg') return;
  await createIndex(knex, { name, definition: 'on runs (organization_id, status)' });
}
