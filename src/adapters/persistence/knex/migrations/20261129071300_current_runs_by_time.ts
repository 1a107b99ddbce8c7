import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'current_runs_by_time';

/** Sorts workspaces by their current runs. Each of a run's statuses writes that row and its indexes anyway. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, { name, definition: 'on current_runs (organization_id, created_at, workspace_id)' });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
