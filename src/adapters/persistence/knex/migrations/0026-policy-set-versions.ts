import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { displace, place, type Trigger, tablesOf } from './counted-lists.js';
import { lockTables } from './lock-tables.js';

const indexes = [
  'unique index policy_set_versions_of_set on policy_set_versions (policy_set_id, sequence)',
  'index policy_set_versions_of_organization on policy_set_versions (organization_id)',
  'unique index policy_set_versions_bundle on policy_set_versions (bundle_key) where bundle_key is not null',
  `index policy_set_versions_superseded on policy_set_versions (superseded_at)
     where superseded_at is not null and bundle_key is not null`,
  'index policy_set_version_runs_of_run on policy_set_version_runs (run_id)',
  'unique index policy_set_parameters_of_set on policy_set_parameters (policy_set_id, key)',
  'index policy_set_parameters_sealed on policy_set_parameters (sealed_by, id)',
];

const bytes = (row: string) => `coalesce(${row}.bundle_bytes, 0)`;

/** Every row that keeps the archive of a policy set version: `organization_id` and `bytes`. 0014 counts other files. */
export const keptPolicyRows = `select f.organization_id as organization_id, ${bytes('f')} as bytes
  from policy_set_versions as f where ${bytes('f')} > 0`;

const count = (selected: string): string =>
  `insert into kept_bytes (organization_id, bytes) ${selected}
     on conflict (organization_id) do update set bytes = kept_bytes.bytes + excluded.bytes`;

const more = (row: string, difference: string) => [
  count(`select ${row}.organization_id, ${difference} where ${difference} <> 0`),
];

const triggers: Readonly<Record<string, Trigger>> = {
  policy_set_versions_kept: { on: 'policy_set_versions', at: 'insert', statements: more('new', bytes('new')) },
  policy_set_versions_kept_otherwise: {
    on: 'policy_set_versions',
    at: { changes: ['bundle_bytes'] },
    statements: more('new', `${bytes('new')} - ${bytes('old')}`),
  },
  policy_set_versions_kept_no_more: {
    on: 'policy_set_versions',
    at: 'delete',
    statements: more('old', `0 - ${bytes('old')}`),
    together: [
      count(
        `select f.organization_id, 0 - sum(${bytes('f')}) from gone as f group by 1 having sum(${bytes('f')}) <> 0`,
      ),
    ],
  },
};

/** The versions of policy sets, the runs that are evaluated with them, and the parameters of policy sets. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, { changed: ['policy_sets'], referredTo: ['organizations', 'runs'] });
  await knex.schema.alterTable('policy_sets', (table) => {
    // JSON with the newest version and the current one; null for a set without versions.
    column(table).maybeText('versions');
  });
  await knex.schema.createTable('policy_set_versions', (table) => {
    const { id, text, maybeText, integer, reference, maybeReference, revision } = column(table);
    id();
    reference('organization_id', 'organizations.id');
    maybeReference('policy_set_id', 'policy_sets.id');
    integer('sequence');
    text('status');
    maybeText('error');
    maybeText('error_message');
    maybeText('bundle_key');
    table.bigInteger('bundle_bytes');
    maybeText('bundle_sha256');
    maybeText('created_by_kind');
    maybeText('created_by_id');
    text('status_timestamps');
    text('created_at');
    text('updated_at');
    maybeText('superseded_at');
    revision();
  });
  await knex.schema.createTable('policy_set_version_runs', (table) => {
    const { reference } = column(table);
    reference('policy_set_version_id', 'policy_set_versions.id');
    reference('run_id', 'runs.id');
    table.primary(['policy_set_version_id', 'run_id']);
  });
  await knex.schema.createTable('policy_set_parameters', (table) => {
    const { id, text, flag, reference, revision } = column(table);
    id();
    reference('policy_set_id', 'policy_sets.id');
    text('key');
    flag('sensitive');
    text('created_at');
    revision();
    // The prefix of the sealed value, which names its key.
    text('sealed_by');
    text('sealed_value');
  });
  for (const index of indexes) await knex.raw(`create ${index}`);
  await place(knex, triggers);
}

/** Sets with versions keep the names of their policies and lose the code. */
export async function down(knex: Knex): Promise<void> {
  // Before the triggers, which count what goes.
  await knex('policy_set_version_runs').delete();
  await knex('policy_set_versions').delete();
  await displace(knex, tablesOf(triggers));
  for (const table of ['policy_set_version_runs', 'policy_set_versions', 'policy_set_parameters']) {
    await knex.schema.dropTable(table);
  }
  await knex.raw('alter table policy_sets drop column versions');
}
