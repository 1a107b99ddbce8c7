import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLock } from '../../../adapters/persistence/knex/engine/sqlite-lock.js';
import {
  migrate as bringUpToDate,
  NewerSchema,
  postgresConfig,
  schemaOf,
  sqliteConfig,
} from '../../../adapters/persistence/knex/migrations/migrate.js';
import { dataDirectory, OperatorError, refuseOtherUsers } from '../../backup.js';
import type { Config } from '../../config.js';
import type { Command } from '../command.js';
import { counted } from '../output.js';

/** What is missing before; another process may make some of it meanwhile. */
async function made(database: ReturnType<typeof sqliteConfig>): Promise<readonly string[]> {
  const { missing } = await schemaOf(database);
  await bringUpToDate(database).catch((error: unknown) => {
    throw error instanceof NewerSchema ? new OperatorError(error.message) : error;
  });
  return missing;
}

async function migrated(config: Config): Promise<readonly string[]> {
  const { DATABASE_URL: url, DATA_DIR: directory } = config;
  if (url !== undefined) return made(postgresConfig(url));
  await refuseOtherUsers(config, 'database');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const releaseLock = takeLock(join(directory, 'service.lock'));
  if (releaseLock === undefined) {
    throw new OperatorError(`a Gatehouse is serving from ${directory}, and migrated it at its start`);
  }
  return made(sqliteConfig(dataDirectory(directory).database)).finally(releaseLock);
}

export const migrate: Command = {
  name: 'migrate',
  does: 'brings the database up to this release, as the service does at its start',
  about:
    'On Postgres it may be run beside instances that serve, and several times at once; the SQLite of a running service it leaves alone.',
  run: async (call) => {
    const migrations = await migrated(call.config);
    const text = migrations.map((name) => `made ${name}`);
    const sum = migrations.length === 0 ? 'the schema was up to date' : counted(migrations.length, 'migration');
    return { json: { migrations }, text: [...text, sum].join('\n') };
  },
};
