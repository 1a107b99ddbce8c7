import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { displace, nameOf, place, type Trigger, tablesOf } from './counted-lists.js';
import { lockTables } from './lock-tables.js';

const current = `unique index state_versions_current on state_versions (workspace_id, serial) where status = 'finalized'`;
const pendingBefore = `unique index state_versions_pending on state_versions (run_id) where status = 'pending'`;

const indexes = [
  `unique index state_versions_pending on state_versions (run_id) where status = 'pending' and source = 'agent'`,
  `unique index state_versions_pending_of_client on state_versions (workspace_id)
     where status = 'pending' and source = 'client'`,
  `unique index state_versions_json_bundle on state_versions (json_bundle_key) where json_bundle_key is not null`,
];

const columns = ['source', 'json_bundle_key', 'json_bundle_bytes', 'json_bundle_sha256'];
columns.push('forced', 'outputs_read', 'rollback_of');

const bytes = (row: string) => `coalesce(${row}.json_bundle_bytes, 0)`;
const organization = (row: string) =>
  `(select w.organization_id from workspaces as w where w.id = ${row}.workspace_id)`;

/** Every row that keeps a state in its JSON form: `organization_id` and `bytes`. 0014 counts the others. */
export const keptJsonRows = `select ${organization('f')} as organization_id, ${bytes('f')} as bytes
  from state_versions as f where ${bytes('f')} > 0`;

const count = (selected: string): string =>
  `insert into kept_bytes (organization_id, bytes) ${selected}
     on conflict (organization_id) do update set bytes = kept_bytes.bytes + excluded.bytes`;

const more = (row: string, difference: string) => [
  count(`select ${organization(row)}, ${difference} where ${difference} <> 0`),
];

const triggers: Readonly<Record<string, Trigger>> = {
  state_versions_json_kept: { on: 'state_versions', at: 'insert', statements: more('new', bytes('new')) },
  state_versions_json_kept_otherwise: {
    on: 'state_versions',
    at: { changes: ['json_bundle_bytes'] },
    statements: more('new', `${bytes('new')} - ${bytes('old')}`),
  },
  state_versions_json_kept_no_more: {
    on: 'state_versions',
    at: 'delete',
    statements: more('old', `0 - ${bytes('old')}`),
    together: [
      count(
        `select ${organization('f')}, 0 - sum(${bytes('f')}) from gone as f group by 1 having sum(${bytes('f')}) <> 0`,
      ),
    ],
  },
};

/**
 * SQLite changes no column: both tables are made again, from the leaf down, so that nothing refers to what is dropped. Their
 * indexes and triggers are those they had.
 */
async function remake(knex: Knex, runId: 'reference' | 'maybeReference'): Promise<void> {
  const column = columnsFor(knex);
  const tables = ['state_version_outputs', 'state_versions'];
  const objects: readonly { readonly sql: string }[] = await knex('sqlite_schema')
    .whereIn('tbl_name', tables)
    .whereIn('type', ['index', 'trigger'])
    .whereNotNull('sql')
    .orderBy('name')
    .select('sql');
  for (const table of tables) {
    await knex.raw(`create table kept_${table} as select * from ${table}`);
    await knex.schema.dropTable(table);
  }
  await knex.schema.createTable('state_versions', (table) => {
    const words = column(table);
    words.id();
    words.reference('workspace_id', 'workspaces.id');
    words[runId]('run_id', 'runs.id');
    table.integer('sequence');
    words.text('status');
    table.bigInteger('serial').notNullable();
    words.text('lineage');
    words.text('md5');
    table.bigInteger('size').notNullable();
    words.maybeText('bundle_key');
    words.maybeText('bundle_sha256');
    words.maybeText('created_by_kind');
    words.maybeText('created_by_id');
    words.text('created_at');
  });
  await knex.schema.createTable('state_version_outputs', (table) => {
    const { id, text, maybeText, flag, integer, reference } = column(table);
    id();
    reference('state_version_id', 'state_versions.id');
    text('name');
    text('type');
    flag('sensitive');
    maybeText('sealed_by');
    integer('size');
    text('value');
  });
  for (const table of tables.toReversed()) {
    const names = Object.keys(await knex(table).columnInfo()).join(', ');
    await knex.raw(`insert into ${table} (${names}) select ${names} from kept_${table}`);
    await knex.raw(`drop table kept_${table}`);
  }
  // After the rows: they were counted when they came.
  for (const { sql } of objects) await knex.raw(sql);
}

/** States that clients send: of no run, in any order of serials, with a JSON form, and with outputs that are read later. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, { changed: ['state_versions'] });
  if (knex.client.driverName === 'pg') {
    await knex.raw('alter table state_versions alter column run_id drop not null');
  } else {
    await remake(knex, 'maybeReference');
  }
  await knex.schema.alterTable('state_versions', (table) => {
    const { text, maybeText, flag } = column(table);
    text('source').defaultTo('agent');
    maybeText('json_bundle_key');
    table.bigInteger('json_bundle_bytes');
    maybeText('json_bundle_sha256');
    flag('forced').defaultTo(false);
    flag('outputs_read').defaultTo(true);
    maybeText('rollback_of');
  });
  for (const gone of [current, pendingBefore]) await knex.raw(`drop index ${nameOf(gone.replace('unique ', ''))}`);
  for (const index of indexes) await knex.raw(`create ${index}`);
  await place(knex, triggers);
}

/** The states of clients are lost, and those of agents that an earlier one has the serial of. */
export async function down(knex: Knex): Promise<void> {
  for (const index of indexes) await knex.raw(`drop index ${nameOf(index.replace('unique ', ''))}`);
  const lost = () =>
    knex('state_versions as sv')
      .where('sv.source', 'client')
      .orWhereExists(
        knex('state_versions as newer')
          .whereRaw('newer.workspace_id = sv.workspace_id and newer.sequence > sv.sequence')
          .whereRaw("newer.serial <= sv.serial and newer.source = 'agent'")
          .select('newer.id'),
      )
      .select('sv.id');
  const ids = await lost().pluck('sv.id');
  for (let from = 0; from < ids.length; from += 100) {
    const some = ids.slice(from, from + 100);
    await knex('state_version_outputs').whereIn('state_version_id', some).delete();
    await knex('state_versions').whereIn('id', some).delete();
  }
  // After the rows: they count what goes.
  await displace(knex, tablesOf(triggers));
  const sequences = 'unique index state_versions_sequence on state_versions (workspace_id, sequence)';
  await knex.raw('drop index state_versions_sequence');
  await knex.raw(
    `update state_versions set sequence = (select count(*) from state_versions as o
       where o.workspace_id = state_versions.workspace_id and o.sequence <= state_versions.sequence)
       where sequence is not null`,
  );
  await knex.raw(
    `update workspaces set last_state_sequence =
       (select count(*) from state_versions as sv where sv.workspace_id = workspaces.id and sv.sequence is not null)`,
  );
  for (const name of columns) await knex.raw(`alter table state_versions drop column ${name}`);
  if (knex.client.driverName === 'pg') {
    await knex.raw('alter table state_versions alter column run_id set not null');
  } else {
    await remake(knex, 'reference');
  }
  for (const index of [sequences, current, pendingBefore]) await knex.raw(`create ${index}`);
}
