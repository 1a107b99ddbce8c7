import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'team_projects_by_end';

/** The rows that the worker ends next. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, {
    name,
    definition: 'on team_projects (expires_at, id) where expires_at is not null',
  });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
