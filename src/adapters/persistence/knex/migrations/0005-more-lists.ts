import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { type Counted, counting, counts, displace, nameOf, place, type Trigger, tablesOf } from './counted-lists.js';

const always = () => '1 = 1';

/** More of what migration 0004 counts, by the name its triggers begin with. */
const counted: Readonly<Record<string, Counted>> = {
  user_tokens: {
    table: 'api_tokens',
    columns: [],
    lists: { 'user-tokens': ['user_id', (row) => `${row}.user_id is not null`] },
  },
  agent_tokens: { table: 'agent_tokens', columns: [], lists: { 'agent-tokens': ['pool_id', always] } },
  agent_pools: { table: 'agent_pools', columns: [], lists: { 'agent-pools': ['organization_id', always] } },
  policy_sets: { table: 'policy_sets', columns: [], lists: { 'policy-sets': ['organization_id', always] } },
  users: {
    table: 'users',
    columns: ['deleted_at'],
    lists: { users: ["'all'", (row) => `${row}.deleted_at is null`] },
  },
};

/** Adds a word, once, to the results of an outcome's policies. */
const says = (word: string, outcome: string, where = '1 = 1'): string =>
  `update policy_set_outcomes set verdicts = verdicts || ${word} || ' '
     where id = ${outcome} and ${where} and verdicts not like '%' || ${word} || ' %'`;

const verdictOf = (row: string): string => `${row}.status || ':' || coalesce(${row}.enforcement_level, '')`;

const triggers: Readonly<Record<string, Trigger>> = {
  ...Object.assign({}, ...Object.entries(counted).map(([name, list]) => counting(list, name))),
  policy_outcomes_said: {
    on: 'policy_outcomes',
    at: 'insert',
    statements: [says(verdictOf('new'), 'new.policy_set_outcome_id')],
  },
  policy_set_outcomes_failed: {
    on: 'policy_set_outcomes',
    at: 'insert',
    statements: [says("'error:'", 'new.id', 'new.error is not null')],
  },
};

const indexes = [
  'index users_listed on users (lower(username), id, username, deleted_at) where deleted_at is null',
  'index policy_sets_listed on policy_sets (organization_id, lower(name), id, name)',
  'index policy_sets_global on policy_sets (organization_id, id) where global = TRUE',
  'index agent_pools_listed on agent_pools (organization_id, lower(name), id, name)',
  // Also scanned when the list is sorted by creator.
  `index api_tokens_by_use on api_tokens
     (listed_in, (last_used_at is null), last_used_at, id, created_by_kind, created_by_id) where listed_in is not null`,
  // Covers what filters ask about, so that the rows themselves are not read.
  'index policy_set_outcomes_verdicts on policy_set_outcomes (policy_evaluation_id, position, verdicts, id)',
];

const replaced = [
  'index policy_sets_by_name on policy_sets (organization_id, lower(name), id)',
  'index policy_outcomes_verdict on policy_outcomes (policy_set_outcome_id, status, enforcement_level)',
];

/** Fills in the stored keys and counts of existing rows. */
export const listed = [
  `update policy_set_outcomes set verdicts = coalesce(
     (select string_agg(v.word, '') from (select distinct ${verdictOf('p')} || ' ' as word
        from policy_outcomes as p where p.policy_set_outcome_id = policy_set_outcomes.id) as v), '')
     || case when error is null then '' else 'error: ' end`,
  ...Object.values(counted).flatMap(counts),
];

/**
 * In the order in which transactions lock them: a report locks sets before policies, a deletion tokens before pools and
 * sets. Tables that are only counted and indexed stay readable and can still be referred to: every request looks up a
 * token and its user.
 */
const locks = [
  'policy_set_outcomes, policy_outcomes',
  'api_tokens, agent_tokens, agent_pools in share row exclusive mode',
  'policy_sets',
  'users in share row exclusive mode',
];

/** Lists that were still counted on every page, and outcomes whose policies were read one by one when filtered. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  // Other instances keep running: this waits for their open transactions, and new ones wait for this, so that all is
  // counted.
  if (knex.client.driverName === 'pg') for (const lock of locks) await knex.raw(`lock table ${lock}`);
  await knex.schema.alterTable('policy_set_outcomes', (table) => {
    column(table).text('verdicts').defaultTo('');
  });
  for (const statement of listed) await knex.raw(statement);
  for (const index of replaced) await knex.raw(`drop index ${nameOf(index)}`);
  for (const index of indexes) await knex.raw(`create ${index}`);
  await place(knex, triggers);
}

export async function down(knex: Knex): Promise<void> {
  await displace(knex, tablesOf(triggers));
  for (const index of indexes) await knex.raw(`drop index ${nameOf(index)}`);
  for (const index of replaced) await knex.raw(`create ${index}`);
  await knex.raw('alter table policy_set_outcomes drop column verdicts');
  const names = Object.values(counted).flatMap(({ lists }) => Object.keys(lists));
  for (const name of names) await knex.raw(`delete from list_sizes where list like '${name} %'`);
}
