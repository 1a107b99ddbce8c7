import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'sessions_of_token';

/** Finds the sessions that end with a token. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, { name, definition: 'on sessions (token_id) where token_id is not null' });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
