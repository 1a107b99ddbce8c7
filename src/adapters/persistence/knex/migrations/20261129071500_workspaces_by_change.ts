import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'workspaces_by_change';

/** Changes with each state, and not with each run: creating a run still updates its workspace in place. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, {
    name,
    definition:
      'on workspaces (organization_id, (coalesce(last_state_at, created_at)), id, deleted_at) where deleted_at is null',
  });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
