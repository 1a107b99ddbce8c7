import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { type Counted, counting, displace, place, tablesOf } from './counted-lists.js';

/** The list migration 0005 counts, without site pools, which have no organization. */
const pools: Counted = {
  table: 'agent_pools',
  columns: [],
  lists: { 'agent-pools': ['organization_id', (row) => `${row}.organization_id is not null`] },
};
const poolsBefore: Counted = { ...pools, lists: { 'agent-pools': ['organization_id', () => '1 = 1'] } };
const tokens: Counted = {
  table: 'agent_tokens',
  columns: [],
  lists: { 'agent-tokens': ['pool_id', () => '1 = 1'] },
};

const poolIndexes = [
  'unique index agent_pools_name on agent_pools (organization_id, name)',
  'index agent_pools_listed on agent_pools (organization_id, lower(name), id, name)',
];
const tokenIndexes = [
  'unique index agent_tokens_secret_digest on agent_tokens (secret_digest)',
  'index agent_tokens_of_pool on agent_tokens (pool_id, created_at, id)',
];
const siteNames = 'unique index agent_pools_site_name on agent_pools (name) where organization_id is null';

/** SQLite changes no column: both tables are made again, from the leaf down, so that nothing refers to what is dropped. */
async function remake(knex: Knex, poolColumns: readonly string[], organizationId: 'reference' | 'maybeReference') {
  const column = columnsFor(knex);
  const tokenColumns = ['id', 'pool_id', 'secret_digest', 'description', 'created_by_kind', 'created_by_id'];
  tokenColumns.push('created_at', 'last_used_at');
  const kept = { agent_pools: poolColumns, agent_tokens: tokenColumns };
  for (const table of ['agent_tokens', 'agent_pools']) {
    await knex.raw(`create table kept_${table} as select * from ${table}`);
    await knex.schema.dropTable(table);
  }
  await knex.schema.createTable('agent_pools', (table) => {
    const columns = column(table);
    columns.id();
    columns[organizationId]('organization_id', 'organizations.id');
    columns.text('name');
    columns.text('created_at');
  });
  await knex.schema.createTable('agent_tokens', (table) => {
    const { id, text, maybeText, reference } = column(table);
    id();
    reference('pool_id', 'agent_pools.id');
    text('secret_digest');
    text('description');
    maybeText('created_by_kind');
    maybeText('created_by_id');
    text('created_at');
    maybeText('last_used_at');
  });
  for (const [table, columns] of Object.entries(kept)) {
    const list = columns.join(', ');
    await knex.raw(`insert into ${table} (${list}) select ${list} from kept_${table}`);
    await knex.raw(`drop table kept_${table}`);
  }
  for (const index of [...poolIndexes, ...tokenIndexes]) await knex.raw(`create ${index}`);
  await place(knex, counting(tokens));
}

const poolColumns = ['id', 'organization_id', 'name', 'created_at'];

/**
 * Agents used to claim the runs of every workspace of their organization that named no pool. Organizations where they did
 * get the pool that claimed last as their default, and those workspaces follow it.
 */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  const postgres = knex.client.driverName === 'pg';
  if (postgres) {
    await knex.raw('lock table agent_tokens, agent_pools, workspaces, organizations');
    await displace(knex, tablesOf(counting(poolsBefore)));
    await knex.raw('alter table agent_pools alter column organization_id drop not null');
  } else {
    await remake(knex, poolColumns, 'maybeReference');
  }
  await knex.raw(`create ${siteNames}`);
  await place(knex, counting(pools));
  await knex.schema.alterTable('agent_pools', (table) => {
    const { flag } = column(table);
    flag('organization_scoped').defaultTo(true);
    // Marks a pool that served workspaces without naming them, and is not the default that serves them now.
    flag('replaced_by_default').defaultTo(false);
  });
  await knex.schema.createTable('agent_pool_workspaces', (table) => {
    const { text, reference } = column(table);
    reference('agent_pool_id', 'agent_pools.id');
    reference('workspace_id', 'workspaces.id');
    text('list');
    table.primary(['agent_pool_id', 'list', 'workspace_id']);
  });
  await knex.raw('create index agent_pool_workspaces_of_workspace on agent_pool_workspaces (workspace_id)');
  await knex.schema.alterTable('organizations', (table) => {
    const { text, maybeText } = column(table);
    text('default_execution_mode').defaultTo('remote');
    maybeText('default_agent_pool_id');
  });
  await knex.schema.alterTable('workspaces', (table) => {
    column(table).flag('inherits_execution_mode').defaultTo(false);
  });
  // Runs of a `local` workspace are executed where its users are: a pool meant nothing to it.
  await knex('workspaces').where('execution_mode', 'local').update({ agent_pool_id: null });
  await knex('workspaces').whereNotNull('agent_pool_id').update({ execution_mode: 'agent' });
  for (const [organizationId, [last, ...others]] of await servingPools(knex)) {
    await knex('organizations')
      .where('id', organizationId)
      .update({ default_execution_mode: 'agent', default_agent_pool_id: last });
    await knex('workspaces')
      .where({ organization_id: organizationId, agent_pool_id: null })
      .whereNot('execution_mode', 'local')
      .update({ inherits_execution_mode: true });
    await knex('agent_pools').whereIn('id', others).update({ replaced_by_default: true });
  }
}

interface Pool {
  readonly id: string;
  readonly organization_id: string;
}

type Latest = ReadonlyMap<string, string>;

/** By organization, the pools whose agents came for runs: that which claimed last first, then that which asked last. */
async function servingPools(knex: Knex): Promise<ReadonlyMap<string, readonly string[]>> {
  const latest = async (rows: Knex.QueryBuilder): Promise<Latest> =>
    new Map((await rows).map(({ pool, at }: { pool: string; at: string }) => [pool, at]));
  const unnamed = (runs: Knex.QueryBuilder, run: string) =>
    runs.join('workspaces as w', 'w.id', `${run}.workspace_id`).whereNull('w.agent_pool_id');
  const claims = knex('audit_events as e').join('runs as r', 'r.id', 'e.subject').where('e.action', 'runs/claim');
  const audited = await latest(
    unnamed(claims, 'r').groupBy('e.actor_id').select({ pool: 'e.actor_id' }).max({ at: 'e.at' }),
  );
  const leases = unnamed(knex('runs as r').whereNotNull('r.lease_pool_id'), 'r');
  const leased = await latest(
    leases.groupBy('r.lease_pool_id').select({ pool: 'r.lease_pool_id' }).max({ at: 'r.lease_expires_at' }),
  );
  const uses = knex('agent_tokens as k').whereNotNull('k.last_used_at');
  const used = await latest(uses.groupBy('k.pool_id').select({ pool: 'k.pool_id' }).max({ at: 'k.last_used_at' }));

  const claimed = ({ id }: Pool) => [audited.get(id) ?? '', leased.get(id) ?? ''].sort().at(-1) ?? '';
  // An instant has no blank: what never claimed comes behind all that did.
  const rank = (pool: Pool) => `${claimed(pool)} ${used.get(pool.id) ?? ''}`;
  const rows: readonly Pool[] = await knex('agent_pools').select('id', 'organization_id').orderBy('id');
  const serving = rows.filter((pool) => rank(pool) !== ' ');
  const lastFirst = serving.toSorted((a, b) => Number(rank(a) < rank(b)) - Number(rank(a) > rank(b)));
  const byOrganization = Map.groupBy(lastFirst, (pool) => pool.organization_id);
  return new Map(Array.from(byOrganization, ([id, some]) => [id, some.map((pool) => pool.id)]));
}

/** Site pools are lost, with their tokens; what followed its organization keeps the mode it had before. */
export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('agent_pool_workspaces');
  const site = knex('agent_pools').whereNull('organization_id').select('id');
  await knex('agent_tokens').whereIn('pool_id', site).delete();
  await knex('agent_pools').whereNull('organization_id').delete();
  for (const [table, columns] of Object.entries({
    organizations: ['default_execution_mode', 'default_agent_pool_id'],
    workspaces: ['inherits_execution_mode'],
    agent_pools: ['organization_scoped', 'replaced_by_default'],
  })) {
    for (const column of columns) await knex.raw(`alter table ${table} drop column ${column}`);
  }
  if (knex.client.driverName !== 'pg') {
    await remake(knex, poolColumns, 'reference');
  } else {
    await displace(knex, tablesOf(counting(pools)));
    await knex.raw('drop index agent_pools_site_name');
    await knex.raw('alter table agent_pools alter column organization_id set not null');
  }
  await place(knex, counting(poolsBefore));
}
