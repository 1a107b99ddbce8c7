import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

/** All that this migration refers to, at once or not at all, for the reason that 0008 gives. */
const locks = `do $$ begin loop
  begin
    set local lock_timeout = '500ms';
    lock table teams, projects in share row exclusive mode;
    exit;
  exception when lock_not_available then
    perform pg_sleep(0.05);
  end;
end loop;
set local lock_timeout = 0;
end $$`;

const indexes = [
  'unique index team_projects_project_id on team_projects (team_id, project_id)',
  'index team_projects_of_project on team_projects (project_id, team_id)',
];

/** The access of teams to projects. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  if (knex.client.driverName === 'pg') await knex.raw(locks);
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
