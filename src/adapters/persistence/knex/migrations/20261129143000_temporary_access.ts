import type { Knex } from 'knex';
import { addColumns, dropColumns } from './shared/columns.js';

const tables = ['team_workspaces', 'team_projects'];

/** Null for a grant without an end, as are all that the release before gives. The permissions are JSON. */
const names = ['expires_at', 'then_level', 'then_permissions'];

export async function up(knex: Knex): Promise<void> {
  for (const table of tables) await addColumns(knex, table, (column) => column.maybeText(...names));
}

export async function down(knex: Knex): Promise<void> {
  for (const table of tables) await dropColumns(knex, table, ...names);
}
