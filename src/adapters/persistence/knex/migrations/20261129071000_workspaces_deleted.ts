import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'workspaces_deleted';

/** Finds the few workspaces that lists leave out because they are being removed. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, {
    name,
    definition: 'on workspaces (organization_id, id, deleted_at) where deleted_at is not null',
  });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
