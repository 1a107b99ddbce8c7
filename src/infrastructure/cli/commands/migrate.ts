import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLock } from '../../../adapters/persistence/knex/engine/sqlite-lock.js';
import {
  migrate as bringUpToDate,
  postgresConfig,
  schemaOf,
  sqliteConfig,
} from '../../../adapters/persistence/knex/migrate.js';
import { dataDirectory, OperatorError, refuseOtherUsers } from '../../backup.js';
import type { Config } from '../../config.js';
import type { Command } from '../toolkit/command.js';
import { counted } from '../toolkit/output.js';

/** The tables missing before; another process may create some of them concurrently. */
async function made(database: ReturnType<typeof sqliteConfig>): Promise<readonly string[]> {
  const { missing } = await schemaOf(database);
  await bringUpToDate(database);
  return missing;
}

/** The Knex configuration of the database. Creates the directory of a SQLite file. */
export async function databaseOf(config: Config): Promise<ReturnType<typeof sqliteConfig>> {
  const { DATABASE_URL: url, DATA_DIR: directory } = config;
  if (url !== undefined) return postgresConfig(url);
  await refuseOtherUsers(config, 'database');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return sqliteConfig(dataDirectory(directory).database);
}

/** Locks the SQLite database of the data directory against the service until the returned function is called. */
export function reserve({ DATABASE_URL, DATA_DIR: directory }: Config): () => void {
  if (DATABASE_URL !== undefined) return () => {};
  const release = takeLock(join(directory, 'service.lock'));
  if (release === undefined) {
    throw new OperatorError(
      `a running service uses ${directory} and migrated it when it started. Stop the service to migrate by hand`,
    );
  }
  return release;
}

async function migrated(config: Config): Promise<readonly string[]> {
  const database = await databaseOf(config);
  const release = reserve(config);
  return made(database).finally(release);
}

export const migrate: Command = {
  name: 'migrate',
  does: 'migrates the database to this release, as the service does when it starts',
  about:
    'With Postgres, it is safe while instances are running and when run concurrently. It refuses to migrate the SQLite database of a running service.',
  run: async (call) => {
    const migrations = await migrated(call.config);
    const text = migrations.map((name) => `applied ${name}`);
    const sum = migrations.length === 0 ? 'the schema is up to date' : counted(migrations.length, 'migration');
    return { json: { migrations }, text: [...text, sum].join('\n') };
  },
};
