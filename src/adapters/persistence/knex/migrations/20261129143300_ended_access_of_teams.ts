import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'team_workspaces_of_team_by_end';

/** Finds the rows that a list of the workspaces of some teams leaves out. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, {
    name,
    definition: 'on team_workspaces (team_id, expires_at, then_level, workspace_id) where expires_at is not null',
  });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
