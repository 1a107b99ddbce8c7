import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'runs_counted';

/** Counts the runs of an organization by status. A new status writes into every index of the row anyway. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, { name, definition: 'on runs (organization_id, status)' });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
