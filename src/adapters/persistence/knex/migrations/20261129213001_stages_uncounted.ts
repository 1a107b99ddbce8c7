import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'task_stages_uncounted';

export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, {
    name,
    definition: `on task_stages (created_at) where stage = 'post_plan' and status not in ('pending', 'running')
      and (counted_as is null or counted_as <> status)`,
  });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
