import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { lockTables } from './lock-tables.js';

const indexes = [
  'index team_groups_group on team_groups (group_name)',
  'index synced_members_of_user on synced_members (user_id)',
];

/** Groups at the identity provider that owners mapped to teams, and the memberships that sign-ins made of them. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, { referredTo: ['teams', 'team_members'] });
  await knex.schema.createTable('team_groups', (table) => {
    const { text } = column(table);
    text('team_id');
    text('group_name');
    table.primary(['team_id']);
    table.foreign('team_id').references('teams.id').onDelete('cascade');
  });
  await knex.schema.createTable('synced_members', (table) => {
    const { text, flag } = column(table);
    text('team_id');
    text('user_id');
    // Whether the sign-in also made the user a member of the organization.
    flag('made_member');
    table.primary(['team_id', 'user_id']);
    // A membership that ends, in whatever way, is no longer one that a sign-in made.
    table
      .foreign(['team_id', 'user_id'])
      .references(['team_id', 'user_id'])
      .inTable('team_members')
      .onDelete('cascade');
  });
  for (const index of indexes) await knex.raw(`create ${index}`);
}

/** The memberships stay, as if they had been made by hand. */
export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('synced_members');
  await knex.schema.dropTable('team_groups');
}
