import type { Knex } from 'knex';
import { addColumnsToEach, type Columns, dropColumns } from './shared/columns.js';

export const config = { transaction: false };

/** Null for what was given before, or by the release before: reports then show no beginning. */
const columns = {
  team_members: 'added_at',
  team_projects: 'granted_at',
  team_workspaces: 'granted_at',
  teams: 'access_changed_at',
} as const;

export const up = (knex: Knex): Promise<void> =>
  addColumnsToEach(
    knex,
    Object.fromEntries(
      Object.entries(columns).map(([table, name]) => [table, (column: Columns) => void column.maybeText(name)]),
    ),
  );

export async function down(knex: Knex): Promise<void> {
  for (const [table, name] of Object.entries(columns)) {
    await knex.transaction((transaction) => dropColumns(transaction, table, name));
  }
}
