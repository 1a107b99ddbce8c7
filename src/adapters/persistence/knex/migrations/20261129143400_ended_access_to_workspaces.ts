import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'team_workspaces_of_workspace_by_end';

/** Finds the rows that a list of the teams of a workspace leaves out, and those that it filters by end. */
export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, {
    name,
    definition: 'on team_workspaces (workspace_id, expires_at, then_level, team_id) where expires_at is not null',
  });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
