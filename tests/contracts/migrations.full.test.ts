import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import knex, { type Knex } from 'knex';
import { pino } from 'pino';
import { type Line, openLine } from '../../lab/torture/fault-proxy.js';
import { openPostgres } from '../../src/adapters/persistence/knex/knex-database.js';
import { migrate, postgresConfig, sqliteConfig } from '../../src/adapters/persistence/knex/migrate.js';
import { migrationSource } from '../../src/adapters/persistence/knex/migration-source.js';
import {
  addColumnsToEach,
  dropColumnsFromEach,
  maybeText,
} from '../../src/adapters/persistence/knex/migrations/shared/columns.js';
import { lockTables } from '../../src/adapters/persistence/knex/migrations/shared/lock-tables.js';
import { loadConfig } from '../../src/infrastructure/config.js';
import { startService } from '../../src/infrastructure/service.js';
import { aUser, noon } from '../support/builders.js';
import { freshDatabase, freshSchema, makeMigrated, onPostgres, skipPostgres } from '../support/databases.js';
import { until } from '../support/service-steps.js';

interface Prepared {
  readonly config: Knex.Config;
  /** Names the database to a service. */
  readonly environment: Readonly<Record<string, string>>;
  readonly drop: () => Promise<void>;
}

const engines: readonly {
  readonly name: string;
  readonly skip: boolean;
  readonly objects: string;
  prepare(directory: string, migrated: boolean): Promise<Prepared>;
}[] = [
  {
    name: 'SQLite',
    skip: false,
    objects: "select name from sqlite_schema where name not like 'sqlite%'",
    prepare: async (directory, migrated) => {
      const file = join(directory, 'gatehouse.sqlite');
      if (migrated) await makeMigrated(file);
      return { config: sqliteConfig(file), environment: {}, drop: async () => {} };
    },
  },
  {
    name: 'Postgres',
    skip: skipPostgres,
    objects: `select relname as name from pg_class where relnamespace = current_schema()::regnamespace
      union all select proname from pg_proc where pronamespace = current_schema()::regnamespace`,
    prepare: async (_directory, migrated) => {
      const { url, drop } = await (migrated ? freshDatabase() : freshSchema());
      return { config: postgresConfig(url), environment: { DATABASE_URL: url, SIGNING_SECRET: 's'.repeat(40) }, drop };
    },
  },
];

for (const engine of engines) {
  (engine.skip ? describe.skip : describe)(`migrations on ${engine.name}`, () => {
    let database: Knex;
    let directory: string;
    let prepared: Prepared;

    const begin = async (migrated: boolean) => {
      directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
      prepared = await engine.prepare(directory, migrated);
      database = knex(prepared.config);
    };

    afterEach(async () => {
      await database.destroy();
      await prepared.drop();
      await rm(directory, { recursive: true });
    });

    async function names(): Promise<readonly string[]> {
      const answer = await database.raw(engine.objects);
      const rows: readonly { name: string }[] = answer.rows ?? answer;
      return rows.map(({ name }) => name).filter((name) => !name.startsWith('knex_'));
    }

    it('go up and down again, and leave nothing', async () => {
      await begin(false);
      await migrate(prepared.config);
      const up = await names();
      expect(up).toEqual(expect.arrayContaining(['workspaces', 'configuration_versions', 'users_username']));
      await database.migrate.rollback({ migrationSource }, true);
      expect(await names()).toEqual([]);
      await migrate(prepared.config);
      expect([...(await names())].sort()).toEqual([...up].sort());
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

    it.each([
      [
        'a version before the first release',
        '0001-initial',
        'a version from before the first release created this database (0001-initial); its data cannot be migrated: set DATA_DIR or DATABASE_URL to an empty database',
      ],
      [
        'a newer release',
        '99991231235959_later.ts',
        'a newer release migrated this database (99991231235959_later.ts); start that release, or restore a backup from before the upgrade',
      ],
    ])('of %s keep the service from starting, and the database is untouched', async (_whose, name, message) => {
      await begin(false);
      await database.schema.createTable('organizations', (table) => table.text('name'));
      await database('organizations').insert({ name: 'acme' });
      await database.schema.createTable('knex_migrations', (table) => {
        table.increments('id');
        table.text('name');
      });
      await database('knex_migrations').insert({ name });
      const everything = async () => [
        await names(),
        await database('organizations'),
        await database('knex_migrations'),
      ];
      const before = await everything();
      const config = loadConfig({ DATA_DIR: directory, PORT: '0', ...prepared.environment });
      await expect(startService(config, pino({ level: 'silent' }))).rejects.toMatchObject({
        name: 'StartError',
        message,
      });
      expect(await everything()).toEqual(before);
    });

    it('change nothing when they were run before', async () => {
      await begin(true);
      const before = await names();
      await migrate(prepared.config);
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
});

(skipPostgres ? describe.skip : describe)('a start whose connections fall silent', () => {
  const lines: Line[] = [];
  let drop: () => Promise<void>;

  /** Migrates through a line of its own. */
  const through = async (url: string) => {
    const line = await openLine(Number(new URL(url).port));
    lines.push(line);
    const database = openPostgres(Object.assign(new URL(url), { port: String(line.port) }).href);
    const end = database.migrate().then(
      () => 'up to date',
      ({ code }: { readonly code: string }) => code,
    );
    return { line, end };
  };

  afterEach(async () => {
    await Promise.all(lines.splice(0).map((line) => line.close()));
    await drop();
  });

  it('ends whenever that happens, and does not hold up the next one', async () => {
    const fresh = await freshDatabase();
    drop = fresh.drop;
    const ends = await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        const { line, end } = await through(fresh.url);
        await pause(at * 4);
        line.swallow();
        return end;
      }),
    );
    expect(new Set([...ends, 'up to date', 'service/unavailable'])).toEqual(
      new Set(['up to date', 'service/unavailable']),
    );
    await openPostgres(fresh.url).migrate();
  });

  it.each([
    ['was about to migrate', `pg_locks where locktype = 'advisory' and granted and classid = 0`],
    ['migrated', `pg_stat_activity where query like 'create table%'`],
  ])('lets another one migrate within a minute, if it %s', async (_, found) => {
    const empty = await freshSchema();
    drop = empty.drop;
    const { line, end } = await through(empty.url);
    await until('it has begun', async () => (await onPostgres(`select 1 from ${found}`)).length > 0);
    line.swallow();
    expect(await end).toBe('service/unavailable');
    const next = openPostgres(empty.url);
    await next.migrate();
    expect(await next.schema()).toMatchObject({ missing: [] });
    await next.close();
  });
});

(skipPostgres ? describe.skip : describe)('the tables that a migration locks', () => {
  /** Instances write to them in either order. */
  it.each([
    ['runs', 'workspaces'],
    ['workspaces', 'runs'],
    ['policy_sets', 'workspaces'],
    ['runs', 'organizations'],
  ])('do not block a writer of %s, then %s', async (first, then) => {
    const { url, drop } = await freshDatabase();
    const database = knex(postgresConfig(url));
    const writer = await database.transaction();
    await writer(first).delete();
    let settled = false;
    const locked = database
      .transaction((migration) =>
        lockTables(migration, { changed: 'runs', referredTo: ['workspaces', 'policy_sets', 'organizations'] }),
      )
      .finally(() => {
        settled = true;
      });
    const waits =
      'select 1 from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0';
    while (!settled && (await onPostgres(waits, url)).length === 0);
    expect(settled).toBe(false);
    await writer(then).delete();
    await writer.commit();
    await locked;
    await database.destroy();
    await drop();
  });
});

(skipPostgres ? describe.skip : describe)('columns of several tables', () => {
  const columns = {
    projects: { auto_destroy_since: maybeText },
    workspaces: { inherited_destruction_since: maybeText },
  };

  it('are added and dropped also after an attempt that died between two of them', async () => {
    const { url, drop } = await freshDatabase();
    const database = knex(postgresConfig(url));
    const present = async () =>
      Promise.all(
        Object.entries(columns).flatMap(([table, own]) =>
          Object.keys(own).map((name) => database.schema.hasColumn(table, name)),
        ),
      );
    const drops = () =>
      database.schema.alterTable('workspaces', (table) => table.dropColumn('inherited_destruction_since'));
    await drops();
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await addColumnsToEach(database, columns);
      expect(await present()).toEqual([true, true]);
    }
    await drops();
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await dropColumnsFromEach(database, columns);
      expect(await present()).toEqual([false, false]);
    }
    await database.destroy();
    await drop();
  });
});

(skipPostgres ? describe.skip : describe)('a transaction of a migration', () => {
  it('changes one table that instances use', async () => {
    const { url, drop } = await freshSchema();
    const database = knex(postgresConfig(url));
    const changed = new Map<string, Set<string>>();
    database.on('query', ({ __knexTxId: transaction, sql }: { readonly __knexTxId: string; readonly sql: string }) => {
      for (const [, tables = ''] of sql.matchAll(/lock table (.+?) in access exclusive mode/g)) {
        changed.set(transaction, new Set([...(changed.get(transaction) ?? []), ...tables.split(', ')]));
      }
    });
    await database.migrate.latest({ migrationSource });
    expect(changed.size).toBeGreaterThan(0);
    expect([...changed.values()].filter((tables) => tables.size > 1)).toEqual([]);
    await database.destroy();
    await drop();
  });
});
