import type { Knex } from 'knex';
import { addColumnsToEach, dropColumns } from './shared/columns.js';

export const config = { transaction: false };

const ofProjects = ['activity_duration', 'since', 'next_check_at', 'by_kind', 'by_id'].map(
  (name) => `auto_destroy_${name}`,
);
const ofWorkspaces = ['inherited_destruction_since', 'inherited_destruction_done_for'];

export const up = (knex: Knex): Promise<void> =>
  addColumnsToEach(knex, {
    projects: (column) => column.maybeText(...ofProjects),
    workspaces: (column) => {
      column.maybeText(...ofWorkspaces);
      column.flag('ignores_project_auto_destroy').defaultTo(false);
    },
  });

export async function down(knex: Knex): Promise<void> {
  await knex.transaction((transaction) => dropColumns(transaction, 'projects', ...ofProjects));
  await knex.transaction((transaction) =>
    dropColumns(transaction, 'workspaces', ...ofWorkspaces, 'ignores_project_auto_destroy'),
  );
}
