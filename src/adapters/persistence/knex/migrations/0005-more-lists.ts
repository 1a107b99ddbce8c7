import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

// As migration 0004 counts, and a copy of it: a migration stands alone, and neither ever changes.

/** Rows whose number in each list they are in is kept, so that a page of a long list need not count them. */
interface Counted {
  readonly table: string;
  /** Which decide what lists a row is in. */
  readonly columns: readonly string[];
  /** By the word a list's name begins with: the column (or the literal) that ends it, and which rows are in it. */
  readonly lists: Readonly<Record<string, readonly [of: string, where: (row: string) => string]>>;
}

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

interface Trigger {
  readonly on: string;
  readonly at: 'insert' | 'delete' | { readonly changes: readonly string[] };
  readonly statements: readonly string[];
  /** Of a deletion: what Postgres does instead, once for all rows of a statement. */
  readonly together?: readonly string[];
}

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

const postgresFunction = (name: string, statements: readonly string[]): string =>
  `create function ${name}() returns trigger language plpgsql as
     $$ begin ${statements.map((statement) => `${statement};`).join(' ')} return null; end $$`;

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

const nameOf = (index: string): string => index.split(' ')[1] as string;

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

/** Adds a word, once, to what the policies of an outcome said. */
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
  // Also read through, when it is sorted by who made them.
  `index api_tokens_by_use on api_tokens
     (listed_in, (last_used_at is null), last_used_at, id, created_by_kind, created_by_id) where listed_in is not null`,
  // With what filters ask about, so that the rows themselves are left alone.
  'index policy_set_outcomes_verdicts on policy_set_outcomes (policy_evaluation_id, position, verdicts, id)',
];

const replaced = [
  'index policy_sets_by_name on policy_sets (organization_id, lower(name), id)',
  'index policy_outcomes_verdict on policy_outcomes (policy_set_outcome_id, status, enforcement_level)',
];

/** What stands in the rows, and is counted, of those that were there before. */
export const listed = [
  `update policy_set_outcomes set verdicts = coalesce(
     (select string_agg(v.word, '') from (select distinct ${verdictOf('p')} || ' ' as word
        from policy_outcomes as p where p.policy_set_outcome_id = policy_set_outcomes.id) as v), '')
     || case when error is null then '' else 'error: ' end`,
  ...Object.values(counted).flatMap(counts),
];

/**
 * In the order in which transactions take them: a report its sets before their policies, a removal tokens before pools and
 * sets. What is only counted and indexed is still read, and still referred to: every request looks a token and its user up.
 */
const locks = [
  'policy_set_outcomes, policy_outcomes',
  'api_tokens, agent_tokens, agent_pools in share row exclusive mode',
  'policy_sets',
  'users in share row exclusive mode',
];

/** Lists that were still counted on every page, and outcomes whose policies were asked one by one when filtered. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  // Other instances go on meanwhile: what they have begun is waited for, and what they begin waits, so that all is counted.
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
