import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { lockTables } from './lock-tables.js';

const indexes = [
  'unique index team_projects_project_id on team_projects (team_id, project_id)',
  'index team_projects_of_project on team_projects (project_id, team_id)',
];

/** The access of teams to projects. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, { referredTo: ['teams', 'projects'] });
  await knex.schema.createTable('team_projects', (table) => {
    const { id, text, maybeText, reference, revision } = column(table);
    id();
    reference('team_id', 'teams.id');
    reference('project_id', 'projects.id');
    text('level');
    // JSON; null unless the level is custom.
    maybeText('permissions');
    revision();
  });
  for (const index of indexes) await knex.raw(`create ${index}`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('team_projects');
}
