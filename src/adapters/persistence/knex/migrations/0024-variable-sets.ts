import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { lockTables } from './lock-tables.js';

const indexes = [
  `unique index variable_sets_name on variable_sets (organization_id, (coalesce(project_id, '')), name)`,
  'index variable_sets_of_project on variable_sets (project_id)',
  'index variable_sets_listed on variable_sets (organization_id, lower(name), id, name)',
  'index variable_sets_global on variable_sets (organization_id, id) where global = TRUE',
  'index variable_set_workspaces_of_workspace on variable_set_workspaces (workspace_id)',
  'index variable_set_projects_of_project on variable_set_projects (project_id)',
  'unique index variables_of_set on variable_set_variables (variable_set_id, key, category)',
  'index variable_set_variables_sealed on variable_set_variables (sealed_by, id)',
];

/** Variables that several workspaces share. The columns of a variable are those of a workspace's. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, { referredTo: ['organizations', 'workspaces', 'projects'] });
  await knex.schema.createTable('variable_sets', (table) => {
    const { id, text, flag, reference, maybeReference, revision } = column(table);
    id();
    reference('organization_id', 'organizations.id');
    // The owner, if it is not the organization.
    maybeReference('project_id', 'projects.id');
    text('name');
    text('description');
    flag('global');
    flag('priority');
    text('created_at');
    text('updated_at');
    revision();
  });
  for (const [name, other] of [
    ['workspace_id', 'workspaces'],
    ['project_id', 'projects'],
  ] as const) {
    await knex.schema.createTable(`variable_set_${other}`, (table) => {
      const { reference } = column(table);
      reference('variable_set_id', 'variable_sets.id');
      reference(name, `${other}.id`);
      table.primary(['variable_set_id', name]);
    });
  }
  await knex.schema.createTable('variable_set_variables', (table) => {
    const { id, text, maybeText, flag, integer, reference, revision } = column(table);
    id();
    reference('variable_set_id', 'variable_sets.id');
    text('key');
    text('category');
    flag('hcl');
    flag('sensitive');
    text('created_at');
    revision();
    integer('size');
    // The prefix of the sealed value, which names its key.
    text('sealed_by');
    maybeText('description');
    text('sealed_value');
  });
  for (const index of indexes) await knex.raw(`create ${index}`);
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['variables', 'projects', 'workspaces']) await knex.schema.dropTable(`variable_set_${table}`);
  await knex.schema.dropTable('variable_sets');
}
