import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'organization_memberships_by_age';

/** Searches for a part of a name or an address look at the newest. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, {
    name,
    definition:
      'on organization_memberships (organization_id, created_at, id, listed_name, user_id, invited_email) where listed_name is not null',
  });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
