import type { Knex } from 'knex';
import { addColumns, dropColumns } from './shared/columns.js';
import { lockTables } from './shared/lock-tables.js';

/** Null for what was given before, or by the release before: reports then show no beginning. */
const columns = {
  team_members: 'added_at',
  team_projects: 'granted_at',
  team_workspaces: 'granted_at',
  teams: 'access_changed_at',
} as const;

export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { changed: Object.keys(columns) });
  for (const [table, name] of Object.entries(columns)) {
    await addColumns(knex, table, (column) => column.maybeText(name));
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const [table, name] of Object.entries(columns)) await dropColumns(knex, table, name);
}
