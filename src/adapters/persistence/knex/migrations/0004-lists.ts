import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

/**
 * What lists are sorted by and counted in, so that a page is a range of one index and its total one row, however long
 * the list is. The database keeps both itself: nothing that writes a row can forget them.
 */
interface Counted {
  readonly table: string;
  /** Whether a change to them may move a row from one list to another. */
  readonly columns: string;
  /** By the name a list begins with, the column that ends it, and which rows are in it. */
  readonly lists: Readonly<Record<string, readonly [of: string, where: (row: string) => string]>>;
}

const counted: readonly Counted[] = [
  {
    table: 'teams',
    columns: 'visibility, deleted_at',
    lists: {
      teams: ['organization_id', (row) => `${row}.deleted_at is null`],
      'visible-teams': [
        'organization_id',
        (row) => `${row}.deleted_at is null and ${row}.visibility = 'organization'`,
      ],
    },
  },
  {
    table: 'workspaces',
    columns: 'deleted_at',
    lists: { workspaces: ['organization_id', (row) => `${row}.deleted_at is null`] },
  },
  {
    table: 'organization_memberships',
    columns: 'listed_name',
    lists: { members: ['organization_id', (row) => `${row}.listed_name is not null`] },
  },
  {
    table: 'team_workspaces',
    columns: 'listed_name, listed_visibility',
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
    columns: 'listed_in',
    lists: { 'team-tokens': ['listed_in', (row) => `${row}.listed_in is not null`] },
  },
];

const listsOf = ({ lists }: Counted) => Object.entries(lists).map(([name, [of, where]]) => ({ name, of, where }));

const added = (list: Counted): readonly string[] =>
  listsOf(list).map(
    ({ name, of, where }) =>
      `insert into list_sizes (list, size) select '${name} ' || new.${of}, 1 where ${where('new')}
       on conflict (list) do update set size = list_sizes.size + 1`,
  );

const taken = (list: Counted): readonly string[] =>
  listsOf(list).map(
    ({ name, of, where }) =>
      `update list_sizes set size = size - 1 where list = '${name} ' || old.${of} and ${where('old')}`,
  );

const livingTeam = `from teams as t where t.id = new.team_id and t.deleted_at is null`;
const livingName = `case when new.deleted_at is null then lower(new.name) end`;

/** After what, and what is then done for each row. */
const triggers: Readonly<Record<string, readonly [after: string, statements: readonly string[]]>> = {
  ...Object.fromEntries(
    counted.flatMap((list) => [
      [`${list.table}_added`, [`insert on ${list.table}`, added(list)]],
      [`${list.table}_moved`, [`update of ${list.columns} on ${list.table}`, [...taken(list), ...added(list)]]],
      [`${list.table}_taken`, [`delete on ${list.table}`, taken(list)]],
    ]),
  ),
  // A name of its own for each, so that the row is listed before it is counted: they run in the order of their names.
  team_workspaces_named: [
    'insert on team_workspaces',
    [
      `update team_workspaces set listed_name = (select lower(t.name) ${livingTeam}),
         listed_visibility = (select t.visibility ${livingTeam}) where id = new.id`,
    ],
  ],
  api_tokens_named: [
    'insert on api_tokens',
    [
      `update api_tokens set listed_in = (select t.organization_id ${livingTeam}),
         listed_name = (select lower(t.name) ${livingTeam}) where id = new.id and new.team_id is not null`,
    ],
  ],
  organization_memberships_named: [
    'insert on organization_memberships',
    [
      `update organization_memberships set listed_name = (select lower(u.username) from users as u
         where u.id = new.user_id and u.deleted_at is null) where id = new.id`,
    ],
  ],
  teams_renamed: [
    'update of name, visibility, deleted_at on teams',
    [
      `update team_workspaces set listed_name = ${livingName}, listed_visibility = new.visibility where team_id = new.id`,
      `update api_tokens set listed_in = case when new.deleted_at is null then new.organization_id end,
         listed_name = ${livingName} where team_id = new.id`,
    ],
  ],
  users_renamed: [
    'update of username, deleted_at on users',
    [
      `update organization_memberships set listed_name = case when new.deleted_at is null then lower(new.username) end
         where user_id = new.id`,
    ],
  ],
};
