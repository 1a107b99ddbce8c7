import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { type Counted, counting, displace, place, tablesOf } from './counted-lists.js';

/** The lists migration 0004 counts for other tables: all rows, and those of each kind, which never changes. */
const policies: Counted = {
  table: 'policies',
  columns: [],
  lists: {
    policies: ['organization_id', () => '1 = 1'],
    'opa-policies': ['organization_id', (row) => `${row}.kind = 'opa'`],
    'sentinel-policies': ['organization_id', (row) => `${row}.kind = 'sentinel'`],
  },
};

const triggers = counting(policies);

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
  await place(knex, triggers);
}

export async function down(knex: Knex): Promise<void> {
  await displace(knex, tablesOf(triggers));
  for (const table of ['policy_set_policies', 'policies', 'policy_codes']) await knex.schema.dropTable(table);
  for (const name of Object.keys(policies.lists)) await knex.raw(`delete from list_sizes where list like '${name} %'`);
}
