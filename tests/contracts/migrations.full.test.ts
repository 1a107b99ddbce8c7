import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import knex, { type Knex } from 'knex';
import { openPostgres } from '../../src/adapters/persistence/knex/knex-database.js';
import { migrate, postgresConfig, sqliteConfig } from '../../src/adapters/persistence/knex/migrations/migrate.js';
import { migrationSource } from '../../src/adapters/persistence/knex/migrations/migration-source.js';
import { aUser, noon } from '../support/builders.js';
import { freshDatabase, freshSchema, makeMigrated, onPostgres, skipPostgres } from '../support/databases.js';

const engines: readonly {
  readonly name: string;
  readonly skip: boolean;
  readonly tables: string;
  prepare(migrated: boolean): Promise<{ readonly config: Knex.Config; readonly drop: () => Promise<void> }>;
}[] = [
  {
    name: 'SQLite',
    skip: false,
    tables: "select name from sqlite_schema where type in ('table', 'index') and name not like 'sqlite%'",
    prepare: async (migrated) => {
      const directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
      const file = join(directory, 'test.sqlite');
      if (migrated) await makeMigrated(file);
      return {
        config: sqliteConfig(file),
        drop: () => rm(directory, { recursive: true }),
      };
    },
  },
  {
    name: 'Postgres',
    skip: skipPostgres,
    tables: 'select relname as name from pg_class where relnamespace = current_schema()::regnamespace',
    prepare: async (migrated) => {
      const { url, drop } = await (migrated ? freshDatabase() : freshSchema());
      return { config: postgresConfig(url), drop };
    },
  },
];

/** A row in each table that a later migration changes, and in those it depends on. */
async function seedFirstVersion(database: Knex): Promise<void> {
  await database('organizations').insert({ id: 'org-1', name: 'acme', email: 'a@example.com', created_at: noon });
  await database('workspaces').insert({
    id: 'ws-1',
    organization_id: 'org-1',
    name: 'network',
    auto_apply: true,
    execution_mode: 'remote',
    terraform_version: 'latest',
    working_directory: '',
    current_configuration_version_id: 'cv-1',
    last_sequence: 1,
    created_at: noon,
    updated_at: noon,
    revision: 2,
  });
  await database('configuration_versions').insert({
    id: 'cv-1',
    workspace_id: 'ws-1',
    sequence: 1,
    status: 'uploaded',
    origin: 'version-control',
    source: 'github',
    auto_queue_runs: false,
    speculative: false,
    provisional: false,
    status_timestamps: '{}',
    bundle_key: 'bundle-1',
    bundle_bytes: 1024,
    bundle_sha256: 'a'.repeat(64),
    ingress_attributes_id: 'ia-1',
    created_at: noon,
    revision: 1,
  });
  await database('ingress_attributes').insert({
    id: 'ia-1',
    configuration_version_id: 'cv-1',
    branch: 'main',
    clone_url: 'https://example.com/acme/network.git',
    commit_sha: '9f4b1c3d',
    identifier: 'acme/network',
    is_pull_request: false,
    on_default_branch: true,
  });
  await database('effects').insert({ subject: 'cv-1', kind: 'discard-bundle', payload: '{}', attempts: 0 });
}

/** A row in each table added with variables, states, artifacts and policies, and in those they depend on. */
async function seedLater(database: Knex): Promise<void> {
  const times = { created_at: noon, updated_at: noon };
  const row = { revision: 1, created_at: noon };
  const flags = { plan_only: false, save_plan: false, auto_apply: false, has_changes: false, cancel_requested: false };
  const run = {
    workspace_id: 'ws-1',
    configuration_version_id: 'cv-1',
    sequence: 1,
    status: 'applying',
    source: 'api',
  };
  await database('runs').insert({ ...row, ...run, ...flags, id: 'run-1', options: '{}', status_timestamps: '{}' });
  const sealed = { sealed_by: 'key', sealed_value: 'key:bytes' };
  const variable = { workspace_id: 'ws-1', key: 'region', category: 'terraform', hcl: false, sensitive: true, size: 2 };
  await database('variables').insert({ ...row, ...variable, ...sealed, id: 'var-1' });
  await database('state_versions').insert({
    id: 'sv-1',
    workspace_id: 'ws-1',
    run_id: 'run-1',
    sequence: 1,
    status: 'finalized',
    serial: 1,
    lineage: 'lineage',
    md5: 'b'.repeat(32),
    size: 2,
    bundle_key: 'bundle-2',
    bundle_sha256: 'b'.repeat(64),
    created_at: noon,
  });
  const output = { name: 'address', type: '"string"', sensitive: false, size: 10, value: '"10.0.0.1"' };
  await database('state_version_outputs').insert({ id: 'wsout-1', state_version_id: 'sv-1', ...output });
  const artifact = { bundle_key: 'bundle-3', bundle_bytes: 2, bundle_sha256: 'c'.repeat(64) };
  await database('run_artifacts').insert({ run_id: 'run-1', name: 'plan-file', ...artifact });
  const organization_id = 'org-1';
  const set = { name: 'costs', kind: 'opa', global: true, overridable: false, policies: '[]' };
  await database('policy_sets').insert({ id: 'polset-1', organization_id, ...set, ...times, revision: 1 });
  await database('policy_codes').insert({ organization_id, sha256: 'd'.repeat(64), code: 'package costs' });
  const policy = { name: 'budget', description: '', kind: 'opa', enforcement_level: 'mandatory', code: 'd'.repeat(64) };
  await database('policies').insert({ id: 'pol-1', organization_id, ...policy, ...times, revision: 1 });
  await database('policy_set_policies').insert({ policy_set_id: 'polset-1', policy_id: 'pol-1' });
}

const rowsOf = async (database: Knex): Promise<unknown> => {
  const tables = ['organizations', 'workspaces', 'configuration_versions', 'ingress_attributes', 'effects'];
  return Promise.all(tables.map((table) => database(table).select()));
};

for (const engine of engines) {
  (engine.skip ? describe.skip : describe)(`migrations on ${engine.name}`, () => {
    let database: Knex;
    let config: Knex.Config;
    let drop: () => Promise<void>;

    const begin = async (migrated: boolean) => {
      ({ config, drop } = await engine.prepare(migrated));
      database = knex(config);
    };

    afterEach(async () => {
      await database.destroy();
      await drop();
    });

    async function names(): Promise<readonly string[]> {
      const answer = await database.raw(engine.tables);
      const rows: readonly { name: string }[] = answer.rows ?? answer;
      return rows.map(({ name }) => name).filter((name) => !name.startsWith('knex_'));
    }

    it('go up and down again, and leave nothing', async () => {
      await begin(false);
      await migrate(config);
      const up = await names();
      expect(up).toEqual(expect.arrayContaining(['workspaces', 'configuration_versions', 'users_username']));
      await database.migrate.rollback({ migrationSource }, true);
      expect(await names()).toEqual([]);
      await migrate(config);
      expect([...(await names())].sort()).toEqual([...up].sort());
    });

    it('keep the rows of the first version, and leave them as they were when they go back', async () => {
      await begin(false);
      const [first] = await migrationSource.getMigrations([]);
      if (first === undefined) throw new Error('there is a first migration');
      await database.migrate.up({ migrationSource });
      expect(await database('knex_migrations').pluck('name')).toEqual([first]);
      const before = await names();
      await seedFirstVersion(database);
      const rowsBefore = await rowsOf(database);

      await migrate(config);
      const [workspace] = await database('workspaces');
      expect(workspace).toMatchObject({ id: 'ws-1', name: 'network', last_sequence: 1, last_run_sequence: 0 });
      for (const column of ['agent_pool_id', 'clone_url', 'branch', 'credential', 'webhook_id', 'webhook_key']) {
        expect([column, workspace[column]]).toEqual([column, null]);
      }
      const [version] = await database('configuration_versions');
      expect(version).toMatchObject({ id: 'cv-1', created_by_kind: null, created_by_id: null, purge_at: null });
      expect(await database('runs')).toEqual([]);
      // Earlier rows live on: their new columns can be written.
      await database('workspaces').update({ webhook_id: 'webhook-1', last_run_sequence: 4 });
      await database('configuration_versions').update({ purge_at: noon });
      await seedLater(database);
      const organizationsOfRuns = () => database('runs').pluck('organization_id');
      expect(await organizationsOfRuns()).toEqual(['org-1']);
      // 1024 of the version, 2 of the state, 2 of the artifact, 13 of the code.
      const keptBytes = async () => (await database('kept_bytes')).map((row) => ({ ...row, bytes: Number(row.bytes) }));
      expect(await keptBytes()).toEqual([{ organization_id: 'org-1', bytes: 1041 }]);
      const all = await migrationSource.getMigrations([]);
      for (const _ of all.slice(all.indexOf('0011-run-queue'))) {
        await database.migrate.down({ migrationSource });
      }
      await migrate(config);
      expect(await organizationsOfRuns()).toEqual(['org-1']);
      expect(await keptBytes()).toEqual([{ organization_id: 'org-1', bytes: 1041 }]);

      const [, ...later] = await migrationSource.getMigrations([]);
      for (const _ of later) await database.migrate.down({ migrationSource });
      expect([...(await names())].sort()).toEqual([...before].sort());
      expect(await rowsOf(database)).toEqual(rowsBefore);

      await migrate(config);
      expect((await database('workspaces').first()).last_run_sequence).toBe(0);
    });

    it('revoke the audit token of an organization when they go back, and keep its own', async () => {
      await begin(true);
      await database('organizations').insert({ id: 'org-1', name: 'acme', email: 'ops@example.com', created_at: noon });
      const token = (id: string) => ({ id, organization_id: 'org-1', secret_digest: id, created_at: noon });
      await database('api_tokens').insert(token('at-own'));
      await database('api_tokens').insert({ ...token('at-audits'), audits: true });
      for (const audits of [false, true]) {
        await expect(database('api_tokens').insert({ ...token(`at-${audits}`), audits })).rejects.toThrow(/unique/i);
      }
      const migrations = await migrationSource.getMigrations([]);
      for (const _ of migrations.slice(migrations.indexOf('0013-tokens'))) {
        await database.migrate.down({ migrationSource });
      }
      expect(await database('api_tokens').pluck('id')).toEqual(['at-own']);
      await expect(database('api_tokens').insert(token('at-second'))).rejects.toThrow(/unique/i);
      await migrate(config);
      expect((await database('api_tokens').first()).audits).toBeFalsy();
    });

    it('lose the states of clients when they go back, and order those of agents by serial again', async () => {
      await begin(true);
      const migrations = await migrationSource.getMigrations([]);
      const back = async () => {
        for (const _ of migrations.slice(migrations.indexOf('0017-states-of-clients'))) {
          await database.migrate.down({ migrationSource });
        }
      };
      await seedFirstVersion(database);
      await seedLater(database);
      const [agents] = await database('state_versions');
      expect(Boolean(agents.outputs_read)).toBe(true);
      expect(agents).toMatchObject({ source: 'agent', run_id: 'run-1', json_bundle_key: null, rollback_of: null });
      const state = (sequence: number, serial: number, given: object) =>
        database('state_versions').insert({
          ...agents,
          ...{ id: `sv-${sequence}`, sequence, serial, bundle_key: `bundle-${sequence}0` },
          ...given,
        });
      const json = { json_bundle_key: 'bundle-json', json_bundle_bytes: 5, json_bundle_sha256: 'e'.repeat(64) };
      await state(2, 5, {});
      await state(3, 1, { source: 'client', run_id: null, rollback_of: 'sv-1', ...json });
      await database('state_version_outputs').insert({
        ...(await database('state_version_outputs').first()),
        ...{ id: 'wsout-3', state_version_id: 'sv-3' },
      });
      await state(4, 2, {});
      await database('workspaces').update({ last_state_sequence: 4 });
      const kept = async () => Number((await database('kept_bytes').first()).bytes);
      // As above, with three states more and a JSON form.
      expect(await kept()).toBe(1041 + 3 * 2 + 5);
      await back();
      expect(await database('state_versions').orderBy('sequence').select('id', 'sequence', 'serial')).toEqual([
        { id: 'sv-1', sequence: 1, serial: agents.serial },
        { id: 'sv-4', sequence: 2, serial: typeof agents.serial === 'string' ? '2' : 2 },
      ]);
      expect(await database('state_version_outputs').pluck('id')).toEqual(['wsout-1']);
      expect((await database('workspaces').first()).last_state_sequence).toBe(2);
      expect(await kept()).toBe(1041 + 2);
      const without = { ...agents, id: 'sv-9', sequence: 9, serial: 9, bundle_key: 'bundle-9', run_id: null };
      for (const column of ['source', 'json_bundle_key', 'json_bundle_bytes', 'json_bundle_sha256'])
        delete without[column];
      for (const column of ['forced', 'outputs_read', 'rollback_of', 'unread_because']) delete without[column];
      await expect(database('state_versions').insert(without)).rejects.toThrow(/null/i);
      await migrate(config);
      expect(await database('state_versions').orderBy('sequence').pluck('id')).toEqual(['sv-1', 'sv-4']);
      expect(await kept()).toBe(1041 + 2);
    });

    it('give organizations the agent pool that served workspaces without one, and their agents what they had', async () => {
      const migrations = await migrationSource.getMigrations([]);
      await begin(true);
      for (const _ of migrations.slice(migrations.indexOf('0012-agent-pool-kinds'))) {
        await database.migrate.down({ migrationSource });
      }
      const at = (second: number) => `2030-01-01T12:00:0${second}.000Z`;
      /** Per organization: workspaces with their mode and pool, pools with their last use. */
      const had = {
        served: {
          workspaces: {
            plain: ['remote', null],
            own: ['remote', 'idle'],
            local: ['local', 'idle'],
            odd: ['agent', null],
          },
          pools: { claimed: 1, asking: 5, idle: null, earlier: 4 },
        },
        asked: { workspaces: { alone: ['remote', null] }, pools: { late: 3, early: 2 } },
        unserved: { workspaces: { quiet: ['remote', null], waiting: ['agent', null] }, pools: { unused: null } },
      } as const;
      for (const [organization, { workspaces, pools }] of Object.entries(had)) {
        const text = { name: organization, email: 'a@example.com', created_at: noon };
        await database('organizations').insert({ id: organization, ...text });
        for (const [pool, used] of Object.entries(pools)) {
          await database('agent_pools').insert({
            id: pool,
            organization_id: organization,
            name: pool,
            created_at: noon,
          });
          const token = { id: `at-${pool}`, pool_id: pool, secret_digest: pool, description: '', created_at: noon };
          await database('agent_tokens').insert({ ...token, last_used_at: used === null ? null : at(used) });
        }
        for (const [workspace, [mode, pool]] of Object.entries(workspaces)) {
          const plain = { auto_apply: false, terraform_version: 'latest', working_directory: '', last_sequence: 0 };
          const row = { id: workspace, organization_id: organization, name: workspace, execution_mode: mode, ...plain };
          const stamps = { created_at: noon, updated_at: noon, revision: 0 };
          await database('workspaces').insert({ ...row, ...stamps, agent_pool_id: pool });
        }
      }
      const version = { workspace_id: 'plain', sequence: 1, status: 'uploaded', origin: 'api', source: 'tfe-api' };
      const flags = { auto_queue_runs: true, speculative: false, provisional: false, status_timestamps: '{}' };
      await database('configuration_versions').insert({
        id: 'cv',
        ...version,
        ...flags,
        created_at: noon,
        revision: 0,
      });
      const run = { workspace_id: 'plain', configuration_version_id: 'cv', source: 'tfe-api', options: '{}' };
      const not = {
        plan_only: false,
        save_plan: false,
        auto_apply: false,
        has_changes: false,
        cancel_requested: false,
      };
      const rest = { status: 'applied', status_timestamps: '{}', created_at: noon, revision: 0 };
      await database('runs').insert({ id: 'run', sequence: 1, ...run, ...not, ...rest });
      for (const [pool, second] of [
        ['earlier', 1],
        ['claimed', 2],
      ] as const) {
        const claim = { actor_kind: 'agent', actor_id: pool, action: 'runs/claim', subject: 'run', outcome: 'done' };
        await database('audit_events').insert({ id: `ae-${pool}`, at: at(second), ...claim, count: 1 });
      }
      const listSizes = () => database('list_sizes').orderBy('list');
      const sizes = await listSizes();

      await migrate(config);
      const defaults = await database('organizations')
        .orderBy('id')
        .select('id', 'default_execution_mode', 'default_agent_pool_id');
      expect(defaults.map((row) => Object.values(row))).toEqual([
        ['asked', 'agent', 'late'],
        ['served', 'agent', 'claimed'],
        ['unserved', 'remote', null],
      ]);
      const now = await database('workspaces')
        .orderBy('id')
        .select('id', 'execution_mode', 'inherits_execution_mode', 'agent_pool_id');
      expect(
        now.map((row) => [row.id, row.inherits_execution_mode ? 'follows' : row.execution_mode, row.agent_pool_id]),
      ).toEqual([
        ['alone', 'follows', null],
        ['local', 'local', null],
        ['odd', 'follows', null],
        ['own', 'agent', 'idle'],
        ['plain', 'follows', null],
        ['quiet', 'remote', null],
        ['waiting', 'agent', null],
      ]);
      const replaced = await database('agent_pools').where('replaced_by_default', true).orderBy('id').pluck('id');
      expect(replaced).toEqual(['asking', 'earlier', 'early']);
      // Counts that the later migrations stop keeping are computed again.
      const uncounted = migrations.indexOf('0016-short-lists');
      for (const _ of migrations.slice(uncounted)) await database.migrate.down({ migrationSource });
      expect(await listSizes()).toEqual(sizes);
      // Still counted correctly: a site pool is in no organization's list.
      const site = { id: 'site', organization_id: null, name: 'site', created_at: noon };
      await database('agent_pools').insert(site);
      expect(await listSizes()).toEqual(sizes);
      await database('agent_pools').insert({ ...site, id: 'more', organization_id: 'asked' });
      const size = await database('list_sizes').where('list', 'agent-pools asked').first();
      expect(size.size).toBe(3);
      for (const _ of migrations.slice(migrations.indexOf('0012-agent-pool-kinds'), uncounted)) {
        await database.migrate.down({ migrationSource });
      }
      expect(await database('agent_pools').where('id', 'site')).toEqual([]);
    });

    it('leave an audit trail that nothing changes, and nothing shortens before its horizon', async () => {
      await begin(true);
      const event = { id: 'ae-1', at: noon, actor_kind: 'system', action: 'runs/queue', outcome: 'done', count: 1 };
      await database('audit_events').insert(event);
      await expect(database('audit_events').update({ outcome: 'no' })).rejects.toThrow(/never changed/);
      await expect(database('audit_events').delete()).rejects.toThrow(/kept until the horizon/);
      await database('audit_horizon').update({ forgotten_before: noon });
      await expect(database('audit_events').delete()).rejects.toThrow(/kept until the horizon/);
      await database('audit_horizon').update({ forgotten_before: '2030-01-01T12:00:00.001Z' });
      if (engine.name === 'Postgres') {
        await expect(database.raw('truncate audit_events')).rejects.toThrow(/all at once/);
      }
      expect(await database('audit_events').delete()).toBe(1);
    });

    it('are remembered by names without a file extension', async () => {
      await begin(true);
      const rows = await database('knex_migrations').orderBy('id').select('name');
      expect(rows.map(({ name }) => name)).toEqual(await migrationSource.getMigrations([]));
      for (const { name } of rows) expect(name).not.toMatch(/\.[jt]s$/);
    });

    it('keep names of teams that differ only in case, and let no more of them be', async () => {
      await begin(true);
      const later = (await migrationSource.getMigrations([])).filter((name) => name >= '0015');
      for (const _ of later) await database.migrate.down({ migrationSource });
      await database('organizations').insert({ id: 'org-1', name: 'acme', email: 'a@example.com', created_at: noon });
      const team = (id: string, name: string) => ({
        id,
        organization_id: 'org-1',
        name,
        visibility: 'organization',
        members_manage_token: false,
        organization_access: '[]',
        is_owners: false,
        created_at: noon,
        revision: 1,
      });
      await database('teams').insert([team('team-1', 'Ops'), team('team-2', 'ops')]);
      await migrate(config);
      // Writes as an instance of the previous release, which does not know the column.
      await database('teams').insert(team('team-3', 'Network'));
      await database('teams').where('id', 'team-1').update({ name: 'OPS' });
      expect(await database('teams').orderBy('id').select('name', 'name_key')).toEqual([
        { name: 'OPS', name_key: 'ops' },
        { name: 'ops', name_key: 'ops' },
        { name: 'Network', name_key: 'network' },
      ]);
      await expect(database('teams').insert(team('team-4', 'oPs'))).rejects.toThrow(/unique/i);
      await expect(database('teams').where('id', 'team-3').update({ name: 'oPs' })).rejects.toThrow(/unique/i);
      await database('teams').where('id', 'team-3').update({ name: 'edge' });
      expect(await database('teams').where('id', 'team-3').first('name_key')).toEqual({ name_key: 'edge' });
      await database('teams').delete();
    });

    it('give every organization a default project, and every workspace a project', async () => {
      await begin(true);
      const later = (await migrationSource.getMigrations([])).filter((name) => name >= '0021');
      for (const _ of later) await database.migrate.down({ migrationSource });
      const organization = (id: string) => ({ id, name: id, email: 'a@example.com', created_at: noon });
      const workspace = (id: string, organization_id: string) => ({
        id,
        organization_id,
        name: id,
        auto_apply: true,
        execution_mode: 'remote',
        terraform_version: 'latest',
        working_directory: '',
        last_sequence: 0,
        created_at: noon,
        updated_at: noon,
        revision: 0,
      });
      await database('organizations').insert(organization('org-1'));
      await database('workspaces').insert(workspace('ws-1', 'org-1'));
      await migrate(config);
      // Writes as an instance of the previous release, which does not know projects.
      await database('organizations').insert(organization('org-2'));
      await database('workspaces').insert([workspace('ws-2', 'org-1'), workspace('ws-3', 'org-2')]);
      expect(await database('projects').orderBy('id')).toEqual(
        ['org-1', 'org-2'].map((organization_id) => ({
          id: organization_id.replace('org', 'prj'),
          organization_id,
          name: 'Default Project',
          description: '',
          created_at: noon,
          updated_at: noon,
          revision: 0,
        })),
      );
      expect(await database('workspaces').orderBy('id').select('id', 'project_id')).toEqual([
        { id: 'ws-1', project_id: 'prj-1' },
        { id: 'ws-2', project_id: 'prj-1' },
        { id: 'ws-3', project_id: 'prj-2' },
      ]);
      for (const table of ['workspaces', 'projects', 'organizations']) await database(table).delete();
    });

    it('are refused to a release that does not know all of them, in words', async () => {
      await begin(true);
      await database('knex_migrations').insert({ name: '9999-later', batch: 2, migration_time: new Date() });
      const before = await names();
      await expect(migrate(config)).rejects.toThrow(/migrated by a newer release \(9999-later\)\. Start that release/);
      expect(await names()).toEqual(before);
    });

    it('change nothing when they were run before', async () => {
      await begin(true);
      const before = await names();
      await migrate(config);
      expect(await names()).toEqual(before);
      expect(await database('knex_migrations_lock').select('is_locked')).toEqual([{ is_locked: 0 }]);
    });
  });
}

(skipPostgres ? describe.skip : describe)('migrations run by several processes', () => {
  it('happen once, and every process can go on', async () => {
    const { url, drop } = await freshSchema();
    const processes = Array.from({ length: 5 }, () => openPostgres(url, { poolSize: 1 }));
    await Promise.all(processes.map((each) => each.migrate()));
    for (const each of processes) {
      const user = aUser();
      await each.unitOfWork.run((tx) => tx.users.add(user));
      expect(await each.unitOfWork.read((tx) => tx.users.find(user.id))).toEqual(user);
    }
    await Promise.all(processes.map((each) => each.close()));
    await drop();
  });

  /** A database as it was before the named migrations, newest first. */
  const before = async (...names: readonly string[]) => {
    const { url, drop } = await freshDatabase();
    const config = postgresConfig(url);
    const database = knex(config);
    for (const name of names) await database.migrate.down({ migrationSource, name } as Knex.MigratorConfig);
    return { config, url, database, end: () => database.destroy().then(drop) };
  };

  /** Migrates, and returns once the migration waits for another transaction's lock. */
  async function waiting(config: Knex.Config, url: string): Promise<{ readonly migrated: Promise<void> }> {
    let settled = false;
    const migrated = migrate(config).finally(() => {
      settled = true;
    });
    migrated.catch(() => {});
    const waits =
      'select 1 from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0';
    while (!settled && (await onPostgres(waits, url)).length === 0);
    expect(settled).toBe(false);
    return { migrated };
  }

  it('count the team tokens that an instance of the release before has begun when they come', async () => {
    const { config, url, database, end } = await before(
      '0016-short-lists',
      '0007-audit-events-whole',
      '0006-audit-events',
      '0005-more-lists',
      '0004-lists',
    );
    await database('organizations').insert({ id: 'org-1', name: 'acme', email: 'a@example.com', created_at: noon });
    const older = await database.transaction();
    await older('teams').insert({
      id: 'team-1',
      organization_id: 'org-1',
      name: 'Platform',
      visibility: 'organization',
      members_manage_token: false,
      organization_access: '[]',
      is_owners: false,
      created_at: noon,
      revision: 1,
    });
    await older('api_tokens').insert({ id: 'at-1', secret_digest: 'd', team_id: 'team-1', created_at: noon });
    const { migrated } = await waiting(config, url);
    await older.commit();
    await migrated;
    expect(await database('list_sizes')).toEqual([{ list: 'team-tokens org-1', size: 1 }]);
    await end();
  });

  it('count what a report says that an instance of the release before has begun when they come', async () => {
    const { config, url, database, end } = await before(
      '0016-short-lists',
      '0007-audit-events-whole',
      '0006-audit-events',
      '0005-more-lists',
    );
    await database.raw(
      'alter table policy_set_outcomes drop constraint policy_set_outcomes_policy_evaluation_id_foreign',
    );
    const older = await database.transaction();
    await older('policy_set_outcomes').insert({
      id: 'psout-1',
      policy_evaluation_id: 'poleval-1',
      position: 0,
      policy_set_name: 'costs',
      overridable: false,
      policy_tool_version: '1.0.0',
      warnings: '[]',
    });
    const { migrated } = await waiting(config, url);
    // The migration waits for the sets, and has not copied rows that are written later.
    for (const [position, status] of ['passed', 'failed'].entries()) {
      const policy = { position, policy_name: 'p', description: '', status, enforcement_level: 'mandatory' };
      await older('policy_outcomes').insert({ policy_set_outcome_id: 'psout-1', ...policy });
    }
    await older.commit();
    await migrated;
    const [{ verdicts }] = await database('policy_set_outcomes').select('verdicts');
    expect(verdicts.trim().split(' ').sort()).toEqual(['failed:mandatory', 'passed:mandatory']);
    await end();
  });

  const beforeStates = () =>
    before(
      '0034-runs-listed-at-once',
      '0018-attributes-of-clients',
      '0017-states-of-clients',
      '0016-short-lists',
      '0011-run-queue',
      '0010-policies',
      '0009-state-versions',
      '0008-variables',
    );

  /** An instance of the previous release still writes to the tables they lock, in either order. */
  it.each([
    ['runs', 'workspaces'],
    ['workspaces', 'runs'],
    ['policy_sets', 'workspaces'],
    ['runs', 'organizations'],
  ])('do not block a writer of %s, then %s', async (first, then) => {
    const { config, url, database, end } = await beforeStates();
    const older = await database.transaction();
    await older(first).delete();
    const { migrated } = await waiting(config, url);
    await older(then).delete();
    await older.commit();
    await migrated;
    expect(await database('variables')).toEqual([]);
    await end();
  });

  it.each([
    ['run_artifacts', 'runs'],
    ['runs', 'configuration_versions'],
    ['configuration_versions', 'runs'],
    ['policy_codes', 'organizations'],
  ])('count bytes without standing in the way of who writes to %s, then to %s', async (first, then) => {
    const { config, url, database, end } = await before('0014-kept-bytes');
    const older = await database.transaction();
    await older(first).delete();
    const { migrated } = await waiting(config, url);
    await older(then).delete();
    await older.commit();
    await migrated;
    expect(await database('kept_bytes')).toEqual([]);
    await end();
  });
});
