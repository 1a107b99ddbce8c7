import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import type { Knex } from 'knex';
import pg from 'pg';
import { Switches } from '../../src/adapters/persistence/knex/engine/switches.js';
import { type KnexDatabase, openPostgres, openSqlite } from '../../src/adapters/persistence/knex/knex-database.js';
import { migrate, postgresConfig } from '../../src/adapters/persistence/knex/migrate.js';
import type { Progress } from '../../src/adapters/persistence/knex/migrate-while-serving.js';
import { type Migrations, migrationsOf, ownMigrations } from '../../src/adapters/persistence/knex/migration-source.js';
import { finishFills } from '../../src/adapters/persistence/knex/migrations/shared/fills.js';
import * as listed from '../../src/adapters/persistence/knex/migrations.js';
import { AdvanceFills } from '../../src/application/background/advance-fills.js';
import type { WorkspaceFilter } from '../../src/application/index.js';
import { type Organization, Run, type RunState, type Workspace } from '../../src/domain/index.js';
import {
  aBundle,
  aConfigurationVersion,
  afterNoon,
  anOrganization,
  aRun,
  aStateVersion,
  aUser,
  aWorkspace,
  changed,
  noon,
} from '../support/builders.js';
import { freshDatabase, makeMigrated, onPostgres, skipPostgres } from '../support/databases.js';
import { column, indexName, plantedFiles, wrongRows } from '../support/planted-files.js';
import { planted } from '../support/planted-migrations.js';
import { until } from '../support/service-steps.js';

const onlyOnPostgres = skipPostgres ? describe.skip : describe;

/** A workspace with versions, alternately kept. */
async function seed({ unitOfWork }: KnexDatabase, versions: number): Promise<Workspace> {
  const organization: Organization = anOrganization();
  const workspace = aWorkspace(organization);
  await unitOfWork.run(async (tx) => {
    await tx.organizations.add(organization);
    await tx.workspaces.add(workspace);
    for (let n = 0; n < versions; n += 1) {
      await tx.configurationVersions.add(
        aConfigurationVersion(workspace, { status: n % 2 === 0 ? 'uploaded' : 'archived' }),
      );
    }
  });
  return workspace;
}

const uploaded = async ({ unitOfWork }: KnexDatabase, workspace: Workspace): Promise<void> => {
  await unitOfWork.run(async (tx) => {
    await tx.configurationVersions.add(aConfigurationVersion(workspace, { status: 'uploaded' }));
  });
};

const nobody = { actor: 'user', siteAdministrator: false, member: false, teams: [] } as const;

interface Upgraded {
  /** Opened by the release before. */
  readonly old: KnexDatabase;
  /** Opens the database as another process of the release to come does. */
  open(migrations?: Migrations): KnexDatabase;
  execute(statements: string): Promise<void>;
  query(sql: string): Promise<readonly Record<string, unknown>[]>;
  end(): Promise<void>;
}

const engines: readonly { readonly name: string; readonly skip: boolean; begin(): Promise<Upgraded> }[] = [
  {
    name: 'SQLite',
    skip: false,
    begin: async () => {
      const directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
      const file = join(directory, 'gatehouse.sqlite');
      await makeMigrated(file);
      const old = openSqlite(file);
      return {
        old,
        open: (migrations = planted) => openSqlite(file, { migrations }),
        execute: async (statements) => {
          const connection = new Database(file);
          connection.exec(statements);
          connection.close();
        },
        query: async (sql) => {
          const connection = new Database(file);
          const rows = connection.prepare(sql).all() as Record<string, unknown>[];
          connection.close();
          return rows;
        },
        end: async () => {
          await old.close();
          await rm(directory, { recursive: true });
        },
      };
    },
  },
  {
    name: 'Postgres',
    skip: skipPostgres,
    begin: async () => {
      const { url, drop } = await freshDatabase();
      const old = openPostgres(url, { poolSize: 2 });
      return {
        old,
        open: (migrations = planted) => openPostgres(url, { poolSize: 2, migrations }),
        execute: async (statements) => void (await onPostgres(statements, url)),
        query: (sql) => onPostgres(sql, url),
        end: async () => {
          await old.close();
          await drop();
        },
      };
    },
  },
];

for (const engine of engines) {
  (engine.skip ? describe.skip : describe)(`rows from before a migration, on ${engine.name}`, () => {
    let upgraded: Upgraded;
    let opened: KnexDatabase[];

    const open = (migrations?: Migrations): KnexDatabase => {
      const database = upgraded.open(migrations);
      opened.push(database);
      return database;
    };
    const switches = async () => {
      const rows = await upgraded.query(
        `select name, filled from fills where name in ('${column.name}', 'version_counts') order by name`,
      );
      return Object.fromEntries(rows.map(({ name, filled }) => [name, Boolean(filled)]));
    };
    const wrong = async () => Number((await upgraded.query(wrongRows))[0]?.wrong);

    beforeEach(async () => {
      upgraded = await engine.begin();
      opened = [];
    });
    afterEach(async () => {
      await Promise.all(opened.map((database) => database.close()));
      await upgraded.end();
    });

    it('are filled in batches, which continue after the process died, and then the switch is set', async () => {
      await seed(upgraded.old, 25);
      const first = open();
      await first.migrate();
      expect(await new AdvanceFills(first.unitOfWork).pending()).toEqual([column.name, 'version_counts']);
      expect(await new AdvanceFills(first.unitOfWork).execute(column.name, 10)).toEqual({ rows: 10, complete: false });
      const dying = first.unitOfWork.run(async (tx) => {
        await tx.fills.advance(column.name, 10);
        throw new Error('died');
      });
      await expect(dying).rejects.toThrow('died');
      expect(await wrong()).toBe(15);
      expect(await switches()).toEqual({ [column.name]: false, version_counts: false });
      await first.close();
      opened = [];

      const fills = new AdvanceFills(open().unitOfWork);
      expect(await fills.execute(column.name, 10)).toEqual({ rows: 10, complete: false });
      expect(await fills.execute(column.name, 10)).toEqual({ rows: 5, complete: true });
      expect(await wrong()).toBe(0);
      expect(await switches()).toEqual({ [column.name]: true, version_counts: false });
      expect(await fills.execute(column.name, 10)).toBeUndefined();
      expect(await fills.execute('version_counts', 10)).toEqual({ rows: 1, complete: true });
      expect(await upgraded.query('select versions from version_counts')).toEqual([{ versions: 25 }]);
      expect(await fills.pending()).toEqual([]);
    });

    it('give each workspace the current run that triggers gave it', async () => {
      const { unitOfWork } = upgraded.old;
      const organization = anOrganization();
      const began = { 'plan-queued-at': noon };
      const fetched = { 'fetching-at': noon };
      const histories: readonly (readonly Partial<RunState>[])[] = [
        [],
        [{ status: 'planned_and_finished', statusTimestamps: began, planOnly: true }],
        [{ status: 'applied', statusTimestamps: began }, { status: 'canceled' }],
        [{ status: 'errored', statusTimestamps: fetched }, { status: 'pending' }, { status: 'pending' }],
        [{ status: 'planned', statusTimestamps: began }, { status: 'confirmed' }],
        [{ status: 'canceled' }],
      ];
      for (const history of histories) {
        const workspace = aWorkspace(organization);
        await unitOfWork.run(async (tx) => {
          if (history === histories[0]) await tx.organizations.add(organization);
          await tx.workspaces.add(workspace);
          const version = aConfigurationVersion(workspace);
          await tx.configurationVersions.add(version);
          for (const given of history) {
            const { sequence } = await tx.runs.takeSequence(workspace.id);
            const run = aRun(workspace, version.state, { sequence, planOnly: given.planOnly ?? false });
            await tx.runs.add(run);
            const steps =
              given.statusTimestamps === undefined ? [given] : [{ ...given, status: 'planning' as const }, given];
            let { state } = run;
            for (const step of steps) {
              state = { ...state, ...step, revision: state.revision + 1 };
              await tx.runs.save(Run.restore(state));
            }
          }
        });
      }
      const kept = () =>
        upgraded.query(`select w.id, c.run_id, c.status, c.created_at, c.held_run_id
          from workspaces as w left join current_runs as c on c.workspace_id = w.id order by w.id`);
      const found = async (database: KnexDatabase) => {
        const filter = { currentRun: ['applied', 'pending', 'planned'] } as const;
        const page = { number: 1, size: 20 };
        const ofAll = await database.unitOfWork.read((tx) =>
          tx.workspaces.page(organization.id, nobody, 'all', page, filter),
        );
        return ofAll.total;
      };
      const before = await kept();
      expect(before.map(({ status }) => status)).toEqual(
        expect.arrayContaining(['applied', 'pending', 'planned', null]),
      );
      expect(await found(upgraded.old)).toBe(3);
      await upgraded.execute(`delete from current_runs; update fills set filled = false, last_key = ''`);
      const opening = open(ownMigrations);
      expect(await found(opening)).toBe(2);
      const fills = new AdvanceFills(opening.unitOfWork);
      while ((await fills.execute('current_runs', 2))?.complete === false);
      expect(await kept()).toEqual(before);
      expect(await found(opening)).toBe(2);
      expect(await found(open(ownMigrations))).toBe(3);
    });

    it('that the release before writes meanwhile and afterwards are right at once', async () => {
      const workspace = await seed(upgraded.old, 4);
      const database = open();
      await database.migrate();
      const fills = new AdvanceFills(database.unitOfWork);
      await fills.execute(column.name, 2);
      const change = async () => {
        await uploaded(upgraded.old, workspace);
        const [row] = await upgraded.query(`select id from configuration_versions where status = 'uploaded' limit 1`);
        const version = await upgraded.old.unitOfWork.read((tx) => tx.configurationVersions.find(String(row?.id)));
        if (version === undefined) throw new Error('the version is not there');
        await upgraded.old.unitOfWork.run((tx) =>
          tx.configurationVersions.save(changed(version, { status: 'archived' })),
        );
        const [now] = await upgraded.query(`select is_kept from configuration_versions where id = '${row?.id}'`);
        expect(Boolean(now?.is_kept)).toBe(false);
      };
      await change();
      while ((await fills.execute(column.name, 2))?.complete === false);
      while ((await fills.execute('version_counts', 2))?.complete === false);
      expect(await wrong()).toBe(0);
      await change();
      expect(await wrong()).toBe(0);
      expect(await upgraded.query('select versions from version_counts')).toEqual([{ versions: 6 }]);
    });

    it('are in lists of workspaces, in the same order before, during and after the filling', async () => {
      const organization = anOrganization();
      const [ran, stated, neither] = ['b', 'c', 'a'].map((name, index) =>
        aWorkspace(organization, { name, createdAt: afterNoon(index) }),
      ) as [Workspace, Workspace, Workspace];
      const version = aConfigurationVersion(ran, { status: 'uploaded' });
      const run = aRun(ran, version.state, { status: 'planning', createdAt: afterNoon(9) });
      const state = aStateVersion(
        { id: run.state.id, workspaceId: stated.id },
        { runId: null, source: 'client', createdAt: afterNoon(20) },
      );
      await upgraded.old.unitOfWork.run(async (tx) => {
        await tx.organizations.add(organization);
        for (const workspace of [ran, stated, neither]) await tx.workspaces.add(workspace);
        await tx.configurationVersions.add(version);
        await tx.runs.takeSequence(ran.id);
        await tx.runs.add(run);
        await tx.stateVersions.add(state, []);
        await tx.stateVersions.finalize(state, aBundle());
      });
      const orders = ({ unitOfWork }: KnexDatabase) =>
        unitOfWork.read(async (tx) => {
          const names = async (filter: WorkspaceFilter) =>
            (await tx.workspaces.page(organization.id, nobody, 'all', { number: 1, size: 3 }, filter)).items.map(
              ({ subject }) => subject.name,
            );
          return {
            run: (await names({ sort: { key: 'current-run.created-at', descending: false } }))[0],
            planning: await names({ currentRun: ['planning'] }),
            change: await names({ sort: { key: 'latest-change-at', descending: true } }),
          };
        });
      const expected = { run: 'b', planning: ['b'], change: ['c', 'a', 'b'] };
      expect(await orders(open(ownMigrations))).toEqual(expected);

      await upgraded.execute(`update fills set filled = false, last_key = ''; delete from current_runs;
        update workspaces set last_state_at = null`);
      const filling = open(ownMigrations);
      expect(await orders(filling)).toEqual(expected);
      const fills = new AdvanceFills(filling.unitOfWork);
      for (const name of ['current_runs_of_all', 'latest_changes', 'current_runs']) {
        expect(await fills.execute(name, 10)).toEqual({ rows: 3, complete: true });
        expect(await orders(open(ownMigrations))).toEqual(expected);
      }
      const kept = 'select (select count(*) from current_runs) as rows, (select last_state_at from workspaces';
      const [row] = await upgraded.query(`${kept} where id = '${stated.id}') as at`);
      expect([Number(row?.rows), row?.at]).toEqual([3, state.createdAt]);
    });

    it('need no filling in a new database, and a later release can end the filling', async () => {
      const empty = open();
      await empty.migrate();
      expect(await switches()).toEqual({ [column.name]: true, version_counts: true });
      await seed(upgraded.old, 3);
      expect(await wrong()).toBe(0);

      await upgraded.execute(`update fills set filled = false; update configuration_versions set is_kept = null`);
      const ending = {
        up: (knex: Knex) => finishFills(knex, ...planted.fills),
        down: async () => {},
        config: { transaction: false },
      };
      await open(migrationsOf({ ...listed, ...plantedFiles, '20990101000005_end.ts': ending })).migrate();
      expect(await switches()).toEqual({ [column.name]: true, version_counts: true });
      expect(await wrong()).toBe(0);
    });
  });
}

describe('the switches of a process', () => {
  it('are read before the first unit of work, again until each is set, and then never', async () => {
    const inDatabase: string[] = [];
    let readings = 0;
    const read = async () => {
      readings += 1;
      if (readings === 1) throw new Error('the database does not respond');
      return inDatabase;
    };
    const switches = new Switches(['one', 'other'], read, 0);
    expect(switches.has('one')).toBe(false);
    await switches.due();
    expect([readings, switches.has('one')]).toEqual([1, false]);
    inDatabase.push('one');
    await switches.due();
    expect([switches.has('one'), switches.has('other')]).toEqual([true, false]);
    // From now on nothing waits for it.
    expect(switches.due()).toBeUndefined();
    await switches.settled();
    inDatabase.push('other');
    void switches.due();
    await switches.settled();
    expect([readings, switches.has('other')]).toEqual([4, true]);
    expect(switches.due()).toBeUndefined();
    expect(readings).toBe(4);
    expect(new Switches([], read).due()).toBeUndefined();
  });
});

onlyOnPostgres('migrations of a Postgres in use', () => {
  let url: string;
  let drop: () => Promise<void>;
  let old: KnexDatabase;
  let sessions: pg.Client[];
  let progress: Progress[];

  beforeEach(async () => {
    ({ url, drop } = await freshDatabase());
    old = openPostgres(url, { poolSize: 3 });
    sessions = [];
    progress = [];
  });
  afterEach(async () => {
    for (const session of sessions) await session.end().catch(() => undefined);
    await old.close();
    await drop();
  });

  const session = async (...statements: readonly string[]): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    sessions.push(client);
    for (const statement of statements) await client.query(statement);
    return client;
  };
  const upgrade = () => migrate(postgresConfig(url), { migrations: planted, report: (step) => progress.push(step) });
  const waits = () => until('it waits', async () => progress.some(({ step }) => step === 'waits'));
  const applied = () => onPostgres<{ name: string }>('select name from knex_migrations order by id', url);
  const isValid = async () =>
    (
      await onPostgres<{ indisvalid: boolean }>(
        `select indisvalid from pg_index where indexrelid = to_regclass('${indexName}')`,
        url,
      )
    ).map(({ indisvalid }) => indisvalid);

  it('wait for another process in a loop, outside any transaction', async () => {
    const other = await session('select pg_advisory_lock(7083242)');
    const upgrading = upgrade();
    await waits();
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and (xact_start is not null or cardinality(pg_blocking_pids(pid)) > 0)`;
    for (let n = 0; n < 20; n += 1) {
      // The attempt itself is a transaction that ends at once.
      await until('nothing is open', async () => (await onPostgres(waiting, url)).length === 0);
    }
    expect(progress).toEqual([{ step: 'waits', name: undefined, reason: expect.stringContaining('another process') }]);
    await other.end();
    await upgrading;
    expect(progress.slice(1).map(({ name }) => name)).toEqual(Object.keys(plantedFiles));
  });

  it('let requests through every half a second while they wait for a table, and try again', async () => {
    const workspace = await seed(old, 2);
    const writer = await session('begin', 'update configuration_versions set revision = revision + 1');
    let upgraded = false;
    const upgrading = upgrade().finally(() => {
      upgraded = true;
    });
    let longest = 0;
    const reading = async () => {
      while (!upgraded) {
        const began = performance.now();
        await old.unitOfWork.read((tx) => tx.configurationVersions.find('cv-unknown'));
        await uploaded(old, workspace);
        longest = Math.max(longest, performance.now() - began);
        await pause(20);
      }
    };
    const requests = reading();
    await waits();
    expect(progress.at(-1)).toEqual({
      step: 'waits',
      name: '20990101000001_column.ts',
      reason: 'other transactions use its tables',
    });
    await writer.query('commit');
    await upgrading;
    await requests;
    expect(longest).toBeLessThan(2_000);
    expect(await applied()).toHaveLength(
      (await ownMigrations.source.getMigrations([])).length + Object.keys(plantedFiles).length,
    );
  });

  it('commit one by one, and go on after a process that died while it built an index', async () => {
    await seed(old, 2);
    const reader = await session('begin isolation level repeatable read', 'select 1 from users');
    const dying = upgrade();
    const building = `select pid from pg_stat_activity where datname = current_database()
      and query like 'create index concurrently%' and cardinality(pg_blocking_pids(pid)) > 0`;
    const builder = () => onPostgres<{ pid: number }>(building, url);
    const [{ pid }] = await until('it builds the index', async () => {
      const found = await builder();
      return found.length > 0 && (found as [{ pid: number }]);
    });
    // Others are served.
    await old.unitOfWork.run((tx) => tx.users.add(aUser()));
    expect((await applied()).at(-1)?.name).toBe('20990101000001_column.ts');
    await onPostgres(`select pg_terminate_backend(${pid})`, url);
    await expect(dying).rejects.toThrow();
    expect(await isValid()).toEqual([false]);
    await onPostgres('update knex_migrations_lock set is_locked = 1', url);
    await reader.query('commit');
    await upgrade();
    expect(await isValid()).toEqual([true]);
    expect((await applied()).map(({ name }) => name)).toEqual(await planted.source.getMigrations([]));
    expect(await onPostgres('select is_locked from knex_migrations_lock', url)).toEqual([{ is_locked: 0 }]);
  });

  it('leave rows that a request uses to a later batch', async () => {
    await seed(old, 2);
    await upgrade();
    const next = openPostgres(url, { poolSize: 2, migrations: planted });
    const fills = new AdvanceFills(next.unitOfWork);
    const writer = await session('begin', 'update configuration_versions set revision = revision + 1');
    expect(await fills.execute(column.name, 10)).toEqual({ rows: 0, complete: false });
    await writer.query('commit');
    expect(await fills.execute(column.name, 10)).toEqual({ rows: 2, complete: true });
    await next.close();
  });
});

onlyOnPostgres('a prepared statement whose result a migration changes', () => {
  it('is prepared again, and its unit of work repeated once', async () => {
    const { url, drop } = await freshDatabase();
    const database = openPostgres(url, { poolSize: 1 });
    const user = aUser();
    await database.unitOfWork.run((tx) => tx.users.add(user));
    const write = async () => {
      let ran = 0;
      await database.unitOfWork.run(async (tx) => {
        ran += 1;
        expect(await tx.users.find(user.id)).toEqual(user);
      });
      return ran;
    };
    const read = () => database.unitOfWork.read((tx) => tx.users.find(user.id));
    try {
      for (const [n, type] of ['varchar(200)', 'text', 'varchar(300)'].entries()) {
        expect([await write(), await read()]).toEqual([1, user]);
        await onPostgres(`alter table users alter column email type ${type}`, url);
        // First in a transaction, then outside.
        if (n % 2 === 0) expect([await write(), await write()]).toEqual([2, 1]);
        else expect([await read(), await write()]).toEqual([user, 1]);
      }
    } finally {
      await database.close();
      await drop();
    }
  });
});
