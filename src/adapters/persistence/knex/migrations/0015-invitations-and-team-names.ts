import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { counting, displace, nameOf, place, type Trigger, tablesOf } from './counted-lists.js';

/** The differences between the triggers of 0004 and 0005 and those that replace them. */
interface Words {
  /** The column that the key of a team's name comes from, and the key. */
  readonly team: readonly [column: string, key: (row: string) => string];
  /** The sort key of a member. */
  readonly member: (membership: string, user: string) => string;
  /** The condition, in addition to deletion, that decides whether a user is listed. */
  readonly users: readonly [columns: readonly string[], where: (row: string) => string];
}

const before: Words = {
  team: ['name', (row) => `lower(${row}.name)`],
  member: (_, user) => `lower(${user}.username)`,
  users: [[], (row) => `${row}.deleted_at is null`],
};

const after: Words = {
  team: ['name_key', (row) => `${row}.name_key`],
  member: (membership, user) => `lower(coalesce(${membership}.invited_email, ${user}.username))`,
  users: [['registered'], (row) => `${row}.deleted_at is null and ${row}.registered = TRUE`],
};

const ofLivingTeam = 'from teams as t where t.id = new.team_id and t.deleted_at is null';

const nameMember = (member: Words['member']): string =>
  `update organization_memberships set listed_name = (select ${member('new', 'u')} from users as u
     where u.id = new.user_id and u.deleted_at is null) where id = new.id`;

function triggersWith({ team: [column, key], member, users: [columns, where] }: Words): Record<string, Trigger> {
  const livingKey = `case when new.deleted_at is null then ${key('new')} end`;
  return {
    ...counting({ table: 'users', columns: ['deleted_at', ...columns], lists: { users: ["'all'", where] } }),
    team_workspaces_named: {
      on: 'team_workspaces',
      at: 'insert',
      statements: [
        `update team_workspaces set listed_name = (select ${key('t')} ${ofLivingTeam}),
           listed_visibility = (select t.visibility ${ofLivingTeam}) where id = new.id`,
      ],
    },
    api_tokens_named: {
      on: 'api_tokens',
      at: 'insert',
      statements: [
        `update api_tokens set listed_in = (select t.organization_id ${ofLivingTeam}),
           listed_name = (select ${key('t')} ${ofLivingTeam}) where id = new.id and new.team_id is not null`,
      ],
    },
    organization_memberships_named: {
      on: 'organization_memberships',
      at: 'insert',
      statements: [nameMember(member)],
    },
    teams_renamed: {
      on: 'teams',
      at: { changes: [column, 'visibility', 'deleted_at'] },
      statements: [
        `update team_workspaces set listed_name = ${livingKey}, listed_visibility = new.visibility
           where team_id = new.id`,
        `update api_tokens set listed_in = case when new.deleted_at is null then new.organization_id end,
           listed_name = ${livingKey} where team_id = new.id`,
      ],
    },
    users_renamed: {
      on: 'users',
      at: { changes: ['username', 'deleted_at'] },
      statements: [
        `update organization_memberships
           set listed_name = case when new.deleted_at is null then ${member('organization_memberships', 'new')} end
           where user_id = new.id`,
      ],
    },
  };
}

// The key of an ASCII name is set here: the release before, whose names are all ASCII, does not know the column.
const keyTeam = 'update teams set name_key = lower(name) where id = new.id and octet_length(name) = length(name)';

const added: Readonly<Record<string, Trigger>> = {
  teams_keyed: { on: 'teams', at: 'insert', statements: [keyTeam] },
  teams_keyed_again: { on: 'teams', at: { changes: ['name'] }, statements: [keyTeam] },
  organization_memberships_accepted: {
    on: 'organization_memberships',
    at: { changes: ['invited_email'] },
    statements: [nameMember(after.member)],
  },
};

const indexes = [
  // Names that differed only in case before this migration stay as they are.
  'unique index teams_name_key on teams (organization_id, name_key) where deleted_at is null and name_shared = FALSE',
  'index organization_memberships_invited on organization_memberships (user_id, id) where invited_email is not null',
];

/** By the same name, before and after. */
const changed: readonly (readonly [before: string, after: string])[] = [
  [
    'index teams_listed on teams (organization_id, lower(name), id, name, deleted_at) where deleted_at is null',
    'index teams_listed on teams (organization_id, name_key, id, deleted_at) where deleted_at is null',
  ],
  [
    `index teams_visible on teams (organization_id, lower(name), id, name, visibility, deleted_at)
       where deleted_at is null and visibility = 'organization'`,
    `index teams_visible on teams (organization_id, name_key, id, visibility, deleted_at)
       where deleted_at is null and visibility = 'organization'`,
  ],
  [
    'index users_listed on users (lower(username), id, username, deleted_at) where deleted_at is null',
    `index users_listed on users (lower(username), id, username, deleted_at, registered)
       where deleted_at is null and registered = TRUE`,
  ],
];

/** Addresses may be invited that no user has yet, and the names of teams are compared in lower case. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  // Other instances keep running: this waits for their open transactions, and new ones wait for this.
  if (knex.client.driverName === 'pg') {
    await knex.raw('lock table api_tokens, users, organization_memberships, teams, team_workspaces');
  }
  await displace(knex, tablesOf(triggersWith(before)));
  await knex.schema.alterTable('users', (table) => {
    column(table).flag('registered').defaultTo(true);
  });
  await knex.schema.alterTable('organization_memberships', (table) => {
    column(table).maybeText('invited_email');
  });
  await knex.schema.alterTable('teams', (table) => {
    const { maybeText, flag } = column(table);
    maybeText('name_key');
    flag('name_shared').defaultTo(false);
  });
  await knex.raw('update teams set name_key = lower(name)');
  await knex.raw(
    `update teams set name_shared = TRUE where exists (select 1 from teams as o
       where o.organization_id = teams.organization_id and o.name_key = teams.name_key and o.deleted_at is null
         and (o.created_at < teams.created_at or (o.created_at = teams.created_at and o.id < teams.id)))`,
  );
  for (const [old, now] of changed) {
    await knex.raw(`drop index ${nameOf(old)}`);
    await knex.raw(`create ${now}`);
  }
  for (const index of indexes) await knex.raw(`create ${index}`);
  await place(knex, { ...triggersWith(after), ...added });
}

/** Invitations of addresses that no user has are lost; others become memberships. */
export async function down(knex: Knex): Promise<void> {
  const awaited = knex('users').where('registered', false).select('id');
  for (const table of ['team_members', 'organization_memberships']) {
    await knex(table).whereIn('user_id', awaited.clone()).delete();
  }
  await knex('users').where('registered', false).delete();
  await knex('organization_memberships').whereNotNull('invited_email').update({ invited_email: null });
  await displace(knex, tablesOf({ ...triggersWith(after), ...added }));
  for (const index of indexes) await knex.raw(`drop index ${nameOf(index.replace('unique ', ''))}`);
  for (const [old] of changed) {
    await knex.raw(`drop index ${nameOf(old)}`);
    await knex.raw(`create ${old}`);
  }
  const columns = {
    teams: ['name_key', 'name_shared'],
    organization_memberships: ['invited_email'],
    users: ['registered'],
  };
  for (const [table, names] of Object.entries(columns)) {
    for (const name of names) await knex.raw(`alter table ${table} drop column ${name}`);
  }
  await place(knex, triggersWith(before));
  await knex.raw(
    `update team_workspaces set listed_name = lower(t.name)
       from teams as t where t.id = team_workspaces.team_id and t.deleted_at is null`,
  );
  await knex.raw(
    `update api_tokens set listed_name = lower(t.name)
       from teams as t where t.id = api_tokens.team_id and t.deleted_at is null`,
  );
}
