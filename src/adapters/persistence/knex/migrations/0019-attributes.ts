import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { lockTables } from './lock-tables.js';

const added = [
  ['organizations', 'settings'],
  ['teams', 'sso_team_id'],
  ['team_workspaces', 'policy_overrides'],
  ['policy_sets', 'policy_tool_version'],
  ['policy_sets', 'agent_enabled'],
  ['policy_sets', 'update_patterns'],
] as const;

/** Settings of organizations, teams, team access and policy sets, and the workspaces that a policy set excludes. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, {
    changed: ['organizations', 'teams', 'team_workspaces', 'policy_sets', 'policies'],
    referredTo: ['workspaces'],
  });
  await knex.schema.alterTable('organizations', (table) => {
    // JSON with the settings that were named; the others have their defaults.
    column(table).text('settings').defaultTo('{}');
  });
  await knex.schema.alterTable('teams', (table) => {
    column(table).maybeText('sso_team_id');
  });
  await knex.schema.alterTable('team_workspaces', (table) => {
    // Null unless the access is custom, as the other permissions are.
    table.boolean('policy_overrides');
  });
  await knex('team_workspaces').where('access', 'custom').update({ policy_overrides: false });
  await knex.schema.alterTable('policy_sets', (table) => {
    const { text, maybeText, flag } = column(table);
    maybeText('policy_tool_version');
    flag('agent_enabled').defaultTo(false);
    text('update_patterns').defaultTo('[]');
  });
  await knex.schema.createTable('policy_set_exclusions', (table) => {
    const { reference } = column(table);
    reference('policy_set_id', 'policy_sets.id');
    reference('workspace_id', 'workspaces.id');
    table.primary(['policy_set_id', 'workspace_id']);
  });
  await knex.raw('create index policy_set_exclusions_of_workspace on policy_set_exclusions (workspace_id)');
  // Sentinel has two mandatory levels. Its sets decided until now whether a failure can be overridden, and still do.
  await knex('policies')
    .where({ kind: 'sentinel', enforcement_level: 'mandatory' })
    .update({ enforcement_level: 'soft-mandatory' });
}

export async function down(knex: Knex): Promise<void> {
  await knex('policies')
    .whereIn('enforcement_level', ['soft-mandatory', 'hard-mandatory'])
    .update({ enforcement_level: 'mandatory' });
  await knex.schema.dropTable('policy_set_exclusions');
  for (const [table, name] of added) await knex.raw(`alter table ${table} drop column ${name}`);
}
