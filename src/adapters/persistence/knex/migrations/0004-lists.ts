import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import {
  type Counted,
  changed,
  counting,
  counts,
  displace,
  nameOf,
  place,
  postgresFunction,
  type Trigger,
  tablesOf,
} from './counted-lists.js';

const counted: readonly Counted[] = [
  {
    table: 'teams',
    columns: ['visibility', 'deleted_at'],
    lists: {
      teams: ['organization_id', (row) => `${row}.deleted_at is null`],
      'visible-teams': ['organization_id', (row) => `${row}.deleted_at is null and ${row}.visibility = 'organization'`],
    },
  },
  {
    table: 'workspaces',
    columns: ['deleted_at'],
    lists: { workspaces: ['organization_id', (row) => `${row}.deleted_at is null`] },
  },
  {
    table: 'organization_memberships',
    columns: ['listed_name'],
    lists: { members: ['organization_id', (row) => `${row}.listed_name is not null`] },
  },
  {
    table: 'team_workspaces',
    columns: ['listed_name', 'listed_visibility'],
    lists: {
      accesses: ['workspace_id', (row) => `${row}.listed_name is not null`],
      'visible-accesses': [
        'workspace_id',
        (row) => `${row}.listed_name is not null and ${row}.listed_visibility = 'organization'`,
      ],
    },
  },
  {
    table: 'api_tokens',
    columns: ['listed_in'],
    lists: { 'team-tokens': ['listed_in', (row) => `${row}.listed_in is not null`] },
  },
];

const livingTeam = `from teams as t where t.id = new.team_id and t.deleted_at is null`;
const livingName = `case when new.deleted_at is null then lower(new.name) end`;

const names = ['name', 'visibility', 'deleted_at'];
const usernames = ['username', 'deleted_at'];

const triggers: Readonly<Record<string, Trigger>> = {
  ...Object.assign({}, ...counted.map((list) => counting(list))),
  // An inserted row is in no list yet: this puts it there, and thereby has it counted.
  team_workspaces_named: {
    on: 'team_workspaces',
    at: 'insert',
    statements: [
      `update team_workspaces set listed_name = (select lower(t.name) ${livingTeam}),
         listed_visibility = (select t.visibility ${livingTeam}) where id = new.id`,
    ],
  },
  api_tokens_named: {
    on: 'api_tokens',
    at: 'insert',
    statements: [
      `update api_tokens set listed_in = (select t.organization_id ${livingTeam}),
         listed_name = (select lower(t.name) ${livingTeam}) where id = new.id and new.team_id is not null`,
    ],
  },
  organization_memberships_named: {
    on: 'organization_memberships',
    at: 'insert',
    statements: [
      `update organization_memberships set listed_name = (select lower(u.username) from users as u
         where u.id = new.user_id and u.deleted_at is null) where id = new.id`,
    ],
  },
  teams_renamed: {
    on: 'teams',
    at: { changes: names },
    statements: [
      `update team_workspaces set listed_name = ${livingName}, listed_visibility = new.visibility where team_id = new.id`,
      `update api_tokens set listed_in = case when new.deleted_at is null then new.organization_id end,
         listed_name = ${livingName} where team_id = new.id`,
    ],
  },
  users_renamed: {
    on: 'users',
    at: { changes: usernames },
    statements: [
      `update organization_memberships set listed_name = case when new.deleted_at is null then lower(new.username) end
         where user_id = new.id`,
    ],
  },
};

/**
 * On Postgres, a lock against a concurrent insert of a row that refers to the team or user: the insert locks the row it
 * refers to before it reads its name, and a rename waits here until the insert is visible.
 */
const holds: Readonly<Record<string, readonly [on: string, columns: readonly string[]]>> = {
  teams_held: ['teams', names],
  users_held: ['users', usernames],
};

// With all that a list asks about, even where every row in the index says the same: SQLite then leaves the table alone.
const indexes = [
  'index teams_of_organization on teams (organization_id)',
  'index teams_listed on teams (organization_id, lower(name), id, name, deleted_at) where deleted_at is null',
  `index teams_visible on teams (organization_id, lower(name), id, name, visibility, deleted_at)
     where deleted_at is null and visibility = 'organization'`,
  'index workspaces_of_organization on workspaces (organization_id)',
  'index workspaces_listed on workspaces (organization_id, lower(name), id, name, deleted_at) where deleted_at is null',
  `index organization_memberships_listed on organization_memberships (organization_id, listed_name, id)
     where listed_name is not null`,
  // The access of some teams to some workspaces is looked up by both, or a workspace of many teams would be read whole.
  'index team_workspaces_of_both on team_workspaces (workspace_id, team_id)',
  `index team_workspaces_listed on team_workspaces (workspace_id, listed_name, team_id, id)
     where listed_name is not null`,
  `index team_workspaces_visible on team_workspaces (workspace_id, listed_name, team_id, id, listed_visibility)
     where listed_name is not null and listed_visibility = 'organization'`,
  `index api_tokens_by_expiry on api_tokens (listed_in, (expires_at is null), expires_at, id, listed_name)
     where listed_in is not null`,
  'index api_tokens_by_name on api_tokens (listed_in, listed_name, id) where listed_in is not null',
];

const replaced = [
  'index teams_by_name on teams (organization_id, lower(name), id)',
  'index workspaces_by_name on workspaces (organization_id, lower(name), id)',
  'index team_workspaces_of_workspace on team_workspaces (workspace_id)',
];

/** Fills in the lists for rows older than the triggers. */
export const listed = [
  `update team_workspaces set listed_name = lower(t.name), listed_visibility = t.visibility
     from teams as t where t.id = team_workspaces.team_id and t.deleted_at is null`,
  `update api_tokens set listed_in = t.organization_id, listed_name = lower(t.name)
     from teams as t where t.id = api_tokens.team_id and t.deleted_at is null`,
  `update organization_memberships set listed_name = lower(u.username)
     from users as u where u.id = organization_memberships.user_id and u.deleted_at is null`,
  ...counted.flatMap(counts),
];

/**
 * The sort keys of lists are stored in the listed rows, and their number in `list_sizes`: a page is then a range of one
 * index, and its total one row, however long the list. The database maintains both, so that no code that writes a row
 * can forget to.
 */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  const postgres = knex.client.driverName === 'pg';
  // Other instances keep running: this waits for their open transactions, and new ones wait for this, so that all is
  // counted.
  if (postgres) await knex.raw(`lock table ${[...counted.map(({ table }) => table), 'users'].join(', ')}`);
  await knex.schema.createTable('list_sizes', (table) => {
    const { text, integer } = column(table);
    text('list').primary();
    integer('size');
  });
  await knex.schema.alterTable('team_workspaces', (table) => {
    const { maybeText } = column(table);
    maybeText('listed_name');
    maybeText('listed_visibility');
  });
  await knex.schema.alterTable('api_tokens', (table) => {
    const { maybeText } = column(table);
    maybeText('listed_in');
    maybeText('listed_name');
  });
  await knex.schema.alterTable('organization_memberships', (table) => {
    column(table).maybeText('listed_name');
  });
  for (const statement of listed) await knex.raw(statement);
  for (const index of replaced) await knex.raw(`drop index ${nameOf(index)}`);
  for (const index of indexes) await knex.raw(`create ${index}`);
  await place(knex, triggers);
  if (!postgres) return;
  for (const [name, [on, columns]] of Object.entries(holds)) {
    await knex.raw(postgresFunction(name, [`perform 1 from ${on} where id = old.id for update`], 'new'));
    await knex.raw(
      `create trigger ${name} before update of ${columns.join(', ')} on ${on} for each row
         when (${changed(columns)}) execute function ${name}()`,
    );
  }
}

export async function down(knex: Knex): Promise<void> {
  await displace(knex, tablesOf(triggers));
  if (knex.client.driverName === 'pg') {
    await displace(knex, Object.fromEntries(Object.entries(holds).map(([name, [on]]) => [name, on])));
  }
  for (const index of indexes) await knex.raw(`drop index ${nameOf(index)}`);
  for (const index of replaced) await knex.raw(`create ${index}`);
  const columns = {
    organization_memberships: ['listed_name'],
    api_tokens: ['listed_in', 'listed_name'],
    team_workspaces: ['listed_name', 'listed_visibility'],
  };
  for (const [table, names] of Object.entries(columns)) {
    for (const name of names) await knex.raw(`alter table ${table} drop column ${name}`);
  }
  await knex.schema.dropTable('list_sizes');
}
