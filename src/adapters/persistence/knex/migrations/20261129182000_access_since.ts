import type { Knex } from 'knex';
import { addColumnsToEach, type Columns, dropColumnsFromEach, type NewColumns } from './shared/columns.js';

export const config = { transaction: false };

const text = (column: Columns, name: string) => column.maybeText(name);

/** Null for what was given before, or by the release before: reports then show no beginning. */
const columns: NewColumns = {
  team_members: { added_at: text },
  team_projects: { granted_at: text },
  team_workspaces: { granted_at: text },
  teams: { access_changed_at: text },
};

export const up = (knex: Knex): Promise<void> => addColumnsToEach(knex, columns);

export const down = (knex: Knex): Promise<void> => dropColumnsFromEach(knex, columns);
