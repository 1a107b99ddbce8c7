import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'projects_destroying';

export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, {
    name,
    definition: 'on projects (auto_destroy_next_check_at) where auto_destroy_next_check_at is not null',
  });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
