import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'audit_events_actors';

/** Finds the events of one actor. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, { name, definition: 'on audit_events (organization_id, actor_id, id)' });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
