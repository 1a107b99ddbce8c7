import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'workspaces_counted_of_project';

/** Counts them. Postgres takes the index that sorts them for dearer than reading all rows. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, {
    name,
    definition: 'on workspaces (project_id, organization_id, deleted_at) where deleted_at is null',
  });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
