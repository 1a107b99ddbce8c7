import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

/** Rows whose number in each list they are in is kept, so that a page of a long list need not count them. */
interface Counted {
  readonly table: string;
  /** Which decide what lists a row is in. */
  readonly columns: readonly string[];
  /** By the word a list's name begins with: the column (or the literal) that ends it, and which rows are in it. */
  readonly lists: Readonly<Record<string, readonly [of: string, where: (row: string) => string]>>;
}

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

const listsOf = ({ lists }: Counted) =>
  Object.entries(lists).map(([name, [of, where]]) => ({
    nameFor: (row: string) => `'${name} ' || ${of.startsWith("'") ? of : `${row}.${of}`}`,
    where,
  }));

const added = (list: Counted): readonly string[] =>
  listsOf(list).map(
    ({ nameFor, where }) =>
      `insert into list_sizes (list, size) select ${nameFor('new')}, 1 where ${where('new')}
       on conflict (list) do update set size = list_sizes.size + 1`,
  );

const taken = (list: Counted): readonly string[] =>
  listsOf(list).flatMap(({ nameFor, where }) => {
    const its = `where list = ${nameFor('old')}`;
    return [
      `update list_sizes set size = size - 1 ${its} and ${where('old')}`,
      `delete from list_sizes ${its} and size = 0`,
    ];
  });

/** The same of all rows that one statement deleted: thousands at a time, when an organization goes. */
const gone = (list: Counted): readonly string[] =>
  listsOf(list).flatMap(({ nameFor, where }) => [
    `update list_sizes as s set size = s.size - g.n
       from (select ${nameFor('r')} as list, count(*) as n from gone as r where ${where('r')} group by 1) as g
       where s.list = g.list`,
    `delete from list_sizes as s using (select distinct ${nameFor('r')} as list from gone as r) as g
       where s.list = g.list and s.size = 0`,
  ]);

const counts = (list: Counted): readonly string[] =>
  listsOf(list).map(
    ({ nameFor, where }) =>
      `insert into list_sizes (list, size)
       select ${nameFor('r')}, count(*) from ${list.table} as r where ${where('r')} group by 1`,
  );

const livingTeam = `from teams as t where t.id = new.team_id and t.deleted_at is null`;
const livingName = `case when new.deleted_at is null then lower(new.name) end`;

interface Trigger {
  readonly on: string;
  readonly at: 'insert' | 'delete' | { readonly changes: readonly string[] };
  readonly statements: readonly string[];
  /** Of a deletion: what Postgres does instead, once for all rows of a statement. */
  readonly together?: readonly string[];
}

const names = ['name', 'visibility', 'deleted_at'];
const usernames = ['username', 'deleted_at'];

/** What keeps these lists counted, under names that begin with `name`. */
const counting = (list: Counted, name = list.table): Readonly<Record<string, Trigger>> => {
  const { table: on, columns: changes } = list;
  return {
    [`${name}_added`]: { on, at: 'insert', statements: added(list) },
    // What cannot change never moves.
    ...(changes.length > 0 && {
      [`${name}_moved`]: { on, at: { changes }, statements: [...taken(list), ...added(list)] },
    }),
    [`${name}_taken`]: { on, at: 'delete', statements: taken(list), together: gone(list) },
  };
};

const triggers: Readonly<Record<string, Trigger>> = {
  ...Object.assign({}, ...counted.map((list) => counting(list))),
  // What is inserted is in no list yet: this puts it there, and thereby has it counted.
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

/** Columns are named in statements that leave them as they are. */
const changed = (columns: readonly string[]): string =>
  columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');

const perRow = (name: string, { on, at }: Trigger): string => {
  const [event, condition] =
    typeof at === 'string' ? [at, ''] : [`update of ${at.changes.join(', ')}`, `when (${changed(at.changes)})`];
  return `create trigger ${name} after ${event} on ${on} for each row ${condition}`;
};

const onSqlite = (name: string, trigger: Trigger): string =>
  `${perRow(name, trigger)} begin ${trigger.statements.map((statement) => `${statement};`).join(' ')} end`;

const postgresFunction = (name: string, statements: readonly string[], result = 'null'): string =>
  `create function ${name}() returns trigger language plpgsql as
     $$ begin ${statements.map((statement) => `${statement};`).join(' ')} return ${result}; end $$`;

const onPostgres = (name: string, trigger: Trigger): readonly string[] => {
  const { on, statements, together } = trigger;
  if (together === undefined) {
    return [postgresFunction(name, statements), `${perRow(name, trigger)} execute function ${name}()`];
  }
  return [
    postgresFunction(name, together),
    `create trigger ${name} after delete on ${on} referencing old table as gone
       for each statement execute function ${name}()`,
  ];
};

/**
 * On Postgres, against a row that refers to the team or user and is being added: it has locked what it refers to before
 * it looks how that is called, and whoever changes that waits here until it can be seen.
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
  // What some teams have on some workspaces is asked of both, or a workspace of many teams would be read whole.
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

const nameOf = (index: string): string => index.split(' ')[1] as string;

/** What is listed of the rows that were there before the triggers. */
export const listed = [
  `update team_workspaces set listed_name = lower(t.name), listed_visibility = t.visibility
     from teams as t where t.id = team_workspaces.team_id and t.deleted_at is null`,
  `update api_tokens set listed_in = t.organization_id, listed_name = lower(t.name)
     from teams as t where t.id = api_tokens.team_id and t.deleted_at is null`,
  `update organization_memberships set listed_name = lower(u.username)
     from users as u where u.id = organization_memberships.user_id and u.deleted_at is null`,
  ...counted.flatMap(counts),
];

async function place(knex: Knex, placed: Readonly<Record<string, Trigger>>): Promise<void> {
  for (const [name, trigger] of Object.entries(placed)) {
    if (knex.client.driverName !== 'pg') await knex.raw(onSqlite(name, trigger));
    else for (const statement of onPostgres(name, trigger)) await knex.raw(statement);
  }
}

/** By their names: the tables they are on. */
async function displace(knex: Knex, placed: Readonly<Record<string, string>>): Promise<void> {
  const postgres = knex.client.driverName === 'pg';
  for (const [name, on] of Object.entries(placed)) {
    await knex.raw(`drop trigger ${name}${postgres ? ` on ${on}` : ''}`);
    if (postgres) await knex.raw(`drop function ${name}()`);
  }
}

const tablesOf = (placed: Readonly<Record<string, Trigger>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(placed).map(([name, { on }]) => [name, on]));

/**
 * What lists are sorted by stands in the rows that are listed, and how many they are in `list_sizes`: a page is then a
 * range of one index, and its total one row, however long the list. The database keeps all that itself, so that nothing
 * which writes a row can forget it.
 */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  const postgres = knex.client.driverName === 'pg';
  // Other instances go on meanwhile: what they have begun is waited for, and what they begin waits, so that all is counted.
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
