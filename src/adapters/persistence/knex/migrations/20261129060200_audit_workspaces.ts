import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'audit_events_workspaces';

/** Finds the events of one workspace. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, {
    name,
    definition: 'on audit_events (organization_id, workspace_id, id) where workspace_id is not null',
  });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
