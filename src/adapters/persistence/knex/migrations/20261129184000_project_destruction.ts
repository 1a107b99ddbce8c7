import type { Knex } from 'knex';
import { addColumns, dropColumns } from './shared/columns.js';
import { lockTables } from './shared/lock-tables.js';

const ofProjects = ['activity_duration', 'since', 'next_check_at', 'by_kind', 'by_id'].map(
  (name) => `auto_destroy_${name}`,
);
const ofWorkspaces = ['inherited_destruction_since', 'inherited_destruction_done_for'];

export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { changed: ['projects', 'workspaces'] });
  await addColumns(knex, 'projects', (column) => column.maybeText(...ofProjects));
  await addColumns(knex, 'workspaces', (column) => {
    column.maybeText(...ofWorkspaces);
    column.flag('ignores_project_auto_destroy').defaultTo(false);
  });
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, { changed: ['projects', 'workspaces'] });
  await dropColumns(knex, 'projects', ...ofProjects);
  await dropColumns(knex, 'workspaces', ...ofWorkspaces, 'ignores_project_auto_destroy');
}
