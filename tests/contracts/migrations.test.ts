import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import knex, { type Knex } from 'knex';
import { openPostgres } from '../../src/adapters/persistence/knex/knex-database.js';
import { migrate, postgresConfig, sqliteConfig } from '../../src/adapters/persistence/knex/migrations/migrate.js';
import { migrationSource } from '../../src/adapters/persistence/knex/migrations/migration-source.js';
import { freshSchema, skipPostgres } from '../support/backends.js';
import { aUser } from '../support/builders.js';

const engines: readonly {
  readonly name: string;
  readonly skip: boolean;
  readonly tables: string;
  prepare(): Promise<{ readonly config: Knex.Config; readonly drop: () => Promise<void> }>;
}[] = [
  {
    name: 'SQLite',
    skip: false,
    tables: "select name from sqlite_schema where type in ('table', 'index') and name not like 'sqlite%'",
    prepare: async () => {
      const directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
      return {
        config: sqliteConfig(join(directory, 'test.sqlite')),
        drop: () => rm(directory, { recursive: true }),
      };
    },
  },
  {
    name: 'Postgres',
    skip: skipPostgres,
    tables: 'select relname as name from pg_class where relnamespace = current_schema()::regnamespace',
    prepare: async () => {
      const { url, drop } = await freshSchema();
      return { config: postgresConfig(url), drop };
    },
  },
];

for (const engine of engines) {
  (engine.skip ? describe.skip : describe)(`migrations on ${engine.name}`, () => {
    let database: Knex;
    let config: Knex.Config;
    let drop: () => Promise<void>;

    beforeEach(async () => {
      ({ config, drop } = await engine.prepare());
      database = knex(config);
    });

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
      await migrate(config);
      const up = await names();
      expect(up).toEqual(expect.arrayContaining(['workspaces', 'configuration_versions', 'users_username']));
      await database.migrate.rollback({ migrationSource }, true);
      expect(await names()).toEqual([]);
      await migrate(config);
      expect([...(await names())].sort()).toEqual([...up].sort());
    });

    it('are remembered by names without a file extension', async () => {
      await migrate(config);
      const rows = await database('knex_migrations').orderBy('id').select('name');
      expect(rows.map(({ name }) => name)).toEqual(await migrationSource.getMigrations([]));
      for (const { name } of rows) expect(name).not.toMatch(/\.[jt]s$/);
    });

    it('change nothing when they were run before', async () => {
      await migrate(config);
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
});
