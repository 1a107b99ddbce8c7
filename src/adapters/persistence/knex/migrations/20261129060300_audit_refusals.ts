import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'audit_events_refusals';

/** Finds refusals among any number of changes. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, { name, definition: "on audit_events (organization_id, id) where outcome <> 'done'" });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
