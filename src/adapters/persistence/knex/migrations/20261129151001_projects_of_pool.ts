import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'projects_agent_pool';

export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, {
    name,
    definition: 'on projects (default_agent_pool_id) where default_agent_pool_id is not null',
  });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
