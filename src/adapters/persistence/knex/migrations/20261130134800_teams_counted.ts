import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'teams_counted';

/** Counts them. Postgres takes the index that sorts them for dearer than reading all rows; SQLite counts them in it. */
export async function up(knex: Knex): Promise<void> {
  if (knex.client.driverName !== 'pg') return;
  await createIndex(knex, { name, definition: 'on teams (organization_id) where deleted_at is null' });
}

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
