import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'runs_to_confirm';

/** The statuses are in the order in which statements list them: SQLite does not find an index whose condition has another. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, {
    name,
    definition: `on runs (organization_id, created_at, id) where status in
      ('planned', 'post_plan_completed', 'planned_and_saved')`,
  });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
