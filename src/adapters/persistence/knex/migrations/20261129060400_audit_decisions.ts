import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'audit_events_decisions';

/** Finds what people did among what agents report. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, {
    name,
    definition: "on audit_events (organization_id, id) where not (actor_kind = 'agent' and outcome = 'done')",
  });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
