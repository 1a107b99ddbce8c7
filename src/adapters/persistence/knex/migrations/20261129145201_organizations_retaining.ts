import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'organizations_retention';

export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, { name, definition: 'on organizations (id) where retention_days is not null' });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
