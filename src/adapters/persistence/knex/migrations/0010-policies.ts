import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

/** Counted as migration 0004 counts others: all, and those of each kind, which never changes. By name: which rows are in it. */
const lists: Readonly<Record<string, (row: string) => string>> = {
  policies: () => '1 = 1',
  'opa-policies': (row) => `${row}.kind = 'opa'`,
  'sentinel-policies': (row) => `${row}.kind = 'sentinel'`,
};

const ofEach = (statements: (nameFor: (row: string) => string, where: (row: string) => string) => readonly string[]) =>
  Object.entries(lists)
    .flatMap(([name, where]) => statements((row) => `'${name} ' || ${row}.organization_id`, where))
    .map((statement) => `${statement};`)
    .join(' ');

const added = ofEach((nameFor, where) => [
  `insert into list_sizes (list, size) select ${nameFor('new')}, 1 where ${where('new')}
     on conflict (list) do update set size = list_sizes.size + 1`,
]);

const taken = ofEach((nameFor, where) => [
  `update list_sizes set size = size - 1 where list = ${nameFor('old')} and ${where('old')}`,
  `delete from list_sizes where list = ${nameFor('old')} and size = 0`,
]);

/** On Postgres, once for all rows that one statement deleted. */
const gone = ofEach((nameFor, where) => [
  `update list_sizes as s set size = s.size - g.n
     from (select ${nameFor('r')} as list, count(*) as n from gone as r where ${where('r')} group by 1) as g
     where s.list = g.list`,
  `delete from list_sizes as s using (select distinct ${nameFor('r')} as list from gone as r) as g
     where s.list = g.list and s.size = 0`,
]);

const onSqlite = [
  `create trigger policies_added after insert on policies for each row begin ${added} end`,
  `create trigger policies_taken after delete on policies for each row begin ${taken} end`,
];

const postgresFunction = (name: string, statements: string): string =>
  `create function ${name}() returns trigger language plpgsql as $$ begin ${statements} return null; end $$`;

const onPostgres = [
  postgresFunction('policies_added', added),
  'create trigger policies_added after insert on policies for each row execute function policies_added()',
  postgresFunction('policies_taken', gone),
  `create trigger policies_taken after delete on policies referencing old table as gone
     for each statement execute function policies_taken()`,
];

const indexes = [
  'unique index policies_name on policies (organization_id, name)',
  'index policies_listed on policies (organization_id, lower(name), id, name)',
  'index policies_of_kind on policies (organization_id, kind, lower(name), id, name)',
  'index policy_set_policies_of_policy on policy_set_policies (policy_id)',
];

/** Policies with code of their own. Code is found by what it says, and never changes. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await knex.schema.createTable('policy_codes', (table) => {
    const { text, reference } = column(table);
    reference('organization_id', 'organizations.id');
    text('sha256');
    text('code');
    table.primary(['organization_id', 'sha256']);
  });
  await knex.schema.createTable('policies', (table) => {
    const { id, text, maybeText, reference, revision } = column(table);
    id();
    reference('organization_id', 'organizations.id');
    text('name');
    text('description');
    text('kind');
    maybeText('query');
    text('enforcement_level');
    maybeText('code');
    text('created_at');
    text('updated_at');
    revision();
  });
  await knex.schema.createTable('policy_set_policies', (table) => {
    const { reference } = column(table);
    reference('policy_set_id', 'policy_sets.id');
    reference('policy_id', 'policies.id');
    table.primary(['policy_set_id', 'policy_id']);
  });
  for (const index of indexes) await knex.raw(`create ${index}`);
  for (const statement of knex.client.driverName === 'pg' ? onPostgres : onSqlite) await knex.raw(statement);
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['policy_set_policies', 'policies', 'policy_codes']) await knex.schema.dropTable(table);
  if (knex.client.driverName === 'pg') {
    for (const name of ['policies_added', 'policies_taken']) await knex.raw(`drop function ${name}()`);
  }
  for (const name of Object.keys(lists)) await knex.raw(`delete from list_sizes where list like '${name} %'`);
}
