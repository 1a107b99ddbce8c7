import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { displace, nameOf, place, type Trigger, tablesOf } from './counted-lists.js';
import { lockTables } from './lock-tables.js';

const indexes = [
  'unique index projects_name on projects (organization_id, name)',
  'index projects_listed on projects (organization_id, lower(name), id, name)',
];
const ofProject =
  'index workspaces_of_project on workspaces (project_id, lower(name), id, name, organization_id, deleted_at)';

const defaultOf = (organization: string) => `'prj-' || substr(${organization}, 5)`;

const added = (organizations: string, row: string) =>
  `insert into projects (id, organization_id, name, description, created_at, updated_at, revision)
   select ${defaultOf(`${row}.id`)}, ${row}.id, 'Default Project', '', ${row}.created_at, ${row}.created_at, 0
   ${organizations}`;

/** The database itself makes default projects: what does not know them, as the release before, cannot leave one out. */
const triggers: Readonly<Record<string, Trigger>> = {
  organizations_project: { on: 'organizations', at: 'insert', statements: [added('', 'new')] },
  workspaces_project: {
    on: 'workspaces',
    at: 'insert',
    statements: [
      `update workspaces set project_id = ${defaultOf('new.organization_id')} where id = new.id and project_id is null`,
    ],
  },
};

/** Every organization has a default project, which all existing workspaces belong to. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, { changed: ['workspaces'], referredTo: ['organizations'] });
  await knex.schema.createTable('projects', (table) => {
    const { id, text, reference, revision } = column(table);
    id();
    reference('organization_id', 'organizations.id');
    text('name');
    text('description');
    text('created_at');
    text('updated_at');
    revision();
  });
  await knex.raw(added('from organizations as o', 'o'));
  await knex.schema.alterTable('workspaces', (table) => {
    column(table).maybeText('project_id');
  });
  await knex.raw(`update workspaces set project_id = ${defaultOf('organization_id')}`);
  for (const index of [...indexes, ofProject]) await knex.raw(`create ${index}`);
  await place(knex, triggers);
}

export async function down(knex: Knex): Promise<void> {
  await displace(knex, tablesOf(triggers));
  await knex.raw(`drop index ${nameOf(ofProject)}`);
  await knex.raw('alter table workspaces drop column project_id');
  await knex.schema.dropTable('projects');
}
