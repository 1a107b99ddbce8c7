import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'workspaces_by_age';

/** Searches for a part of a name look at the newest. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, {
    name,
    definition: 'on workspaces (organization_id, created_at, id, name, deleted_at) where deleted_at is null',
  });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
