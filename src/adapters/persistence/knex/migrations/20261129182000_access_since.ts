import type { Knex } from 'knex';
import { addColumnsToEach, dropColumnsFromEach, maybeText, type NewColumns } from './shared/columns.js';

export const config = { transaction: false };

/** Null for what was given before, or by the release before: reports then show no beginning. */
const columns: NewColumns = {
  team_members: { added_at: maybeText },
  team_projects: { granted_at: maybeText },
  team_workspaces: { granted_at: maybeText },
  teams: { access_changed_at: maybeText },
};

export const up = (knex: Knex): Promise<void> => addColumnsToEach(knex, columns);

export const down = (knex: Knex): Promise<void> => dropColumnsFromEach(knex, columns);
