import type { Knex } from 'knex';
import { type Counted, counting, counts, displace, place, tablesOf } from './counted-lists.js';
import { lockTables } from './lock-tables.js';

const always = () => '1 = 1';
const living = (row: string) => `${row}.deleted_at is null`;

/** The lists that administrators keep short, as they were counted before, by the name their triggers begin with. */
const counted: Readonly<Record<string, Counted>> = {
  teams: {
    table: 'teams',
    columns: ['visibility', 'deleted_at'],
    lists: {
      teams: ['organization_id', living],
      'visible-teams': ['organization_id', (row) => `${living(row)} and ${row}.visibility = 'organization'`],
    },
  },
  workspaces: { table: 'workspaces', columns: ['deleted_at'], lists: { workspaces: ['organization_id', living] } },
  organization_memberships: {
    table: 'organization_memberships',
    columns: ['listed_name'],
    lists: { members: ['organization_id', (row) => `${row}.listed_name is not null`] },
  },
  users: {
    table: 'users',
    columns: ['deleted_at', 'registered'],
    lists: { users: ["'all'", (row) => `${living(row)} and ${row}.registered = TRUE`] },
  },
  user_tokens: {
    table: 'api_tokens',
    columns: [],
    lists: { 'user-tokens': ['user_id', (row) => `${row}.user_id is not null`] },
  },
  agent_tokens: { table: 'agent_tokens', columns: [], lists: { 'agent-tokens': ['pool_id', always] } },
  agent_pools: {
    table: 'agent_pools',
    columns: [],
    lists: { 'agent-pools': ['organization_id', (row) => `${row}.organization_id is not null`] },
  },
  policy_sets: { table: 'policy_sets', columns: [], lists: { 'policy-sets': ['organization_id', always] } },
  policies: {
    table: 'policies',
    columns: [],
    lists: {
      policies: ['organization_id', always],
      'opa-policies': ['organization_id', (row) => `${row}.kind = 'opa'`],
      'sentinel-policies': ['organization_id', (row) => `${row}.kind = 'sentinel'`],
    },
  },
};

const triggers = Object.assign({}, ...Object.entries(counted).map(([name, list]) => counting(list, name)));

const changed = [...new Set(Object.values(counted).map(({ table }) => table))];

/** Lists that administrators keep short are counted in the index that they are read from, and no longer by triggers. */
export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { changed });
  await displace(knex, tablesOf(triggers));
  const names = Object.values(counted).flatMap(({ lists }) => Object.keys(lists));
  for (const name of names) await knex.raw(`delete from list_sizes where list like '${name} %'`);
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, { changed });
  for (const statement of Object.values(counted).flatMap(counts)) await knex.raw(statement);
  await place(knex, triggers);
}
