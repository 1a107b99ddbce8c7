import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { lockTables } from './lock-tables.js';

/**
 * Sessions and tokens know how they were made, memberships who made them, and organizations the groups that a site
 * administrator gave them.
 */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, {
    changed: ['sessions', 'api_tokens', 'organization_memberships', 'synced_members'],
    referredTo: ['organizations', 'team_members', 'team_groups', 'identities', 'teams'],
  });
  await knex.schema.alterTable('sessions', (table) => {
    const { maybeText } = column(table);
    maybeText('identity_id');
    maybeText('last_used_at');
  });
  await knex.schema.alterTable('api_tokens', (table) => {
    column(table).flag('made_in_session').defaultTo(false);
  });
  await knex.schema.alterTable('organization_memberships', (table) => {
    // No reference: the rule that ends what a sign-in made reads it after the identity is gone.
    column(table).maybeText('identity_id');
  });
  await knex.schema.createTable('identity_providers', (table) => {
    const { text, flag } = column(table);
    text('issuer');
    flag('sends_auth_time');
    table.primary(['issuer']);
  });
  await knex.schema.createTable('organization_groups', (table) => {
    const { reference, text } = column(table);
    reference('organization_id', 'organizations.id').onDelete('cascade');
    text('pattern');
    table.primary(['organization_id', 'pattern']);
  });
  await knex.raw(`insert into organization_groups (organization_id, pattern)
    select id, '*' from organizations where deleted_at is null order by created_at, id limit 1`);
  await knex.schema.createTable('group_memberships', (table) => {
    const { text } = column(table);
    text('team_id');
    text('user_id');
    text('identity_id');
    text('group_name');
    table.primary(['team_id', 'user_id', 'identity_id']);
    // A membership that ends, in whatever way, is no longer one that a sign-in made.
    table
      .foreign(['team_id', 'user_id'])
      .references(['team_id', 'user_id'])
      .inTable('team_members')
      .onDelete('cascade');
  });
  const identity = '(select min(i.id) from identities i where i.user_id = s.user_id)';
  await knex.raw(`insert into group_memberships (team_id, user_id, identity_id, group_name)
    select s.team_id, s.user_id, ${identity}, g.group_name
    from synced_members s join team_groups g on g.team_id = s.team_id where ${identity} is not null`);
  await knex.raw(`update organization_memberships set identity_id =
    (select min(i.id) from identities i where i.user_id = organization_memberships.user_id)
    where exists (select 1 from synced_members s join teams t on t.id = s.team_id
      where s.made_member and s.user_id = organization_memberships.user_id
        and t.organization_id = organization_memberships.organization_id)`);
  await knex.raw('create index group_memberships_of_user on group_memberships (user_id)');
  await knex.raw(
    'create index memberships_by_sign_in on organization_memberships (user_id) where identity_id is not null',
  );
  await knex.schema.dropTable('synced_members');
  await knex.raw("delete from team_groups where group_name = ''");
  await knex.raw("update teams set sso_team_id = null where sso_team_id = ''");
}

/** The memberships stay, as if they had been made by hand. */
export async function down(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await knex.raw('drop index memberships_by_sign_in');
  for (const table of ['group_memberships', 'organization_groups', 'identity_providers']) {
    await knex.schema.dropTable(table);
  }
  await knex.schema.createTable('synced_members', (table) => {
    const { text, flag } = column(table);
    text('team_id');
    text('user_id');
    flag('made_member');
    table.primary(['team_id', 'user_id']);
    table
      .foreign(['team_id', 'user_id'])
      .references(['team_id', 'user_id'])
      .inTable('team_members')
      .onDelete('cascade');
  });
  await knex.raw('create index synced_members_of_user on synced_members (user_id)');
  await knex.raw('alter table organization_memberships drop column identity_id');
  await knex.raw('alter table api_tokens drop column made_in_session');
  for (const name of ['identity_id', 'last_used_at']) await knex.raw(`alter table sessions drop column ${name}`);
}
