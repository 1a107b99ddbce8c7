import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'organizations_deleted';

/** Finds the deleted organizations whose data is being removed, among any number of others. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, { name, definition: 'on organizations (deleted_at, id) where deleted_at is not null' });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
