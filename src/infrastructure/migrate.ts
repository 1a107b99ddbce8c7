import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLock } from '../adapters/persistence/knex/engine/sqlite-lock.js';
import { migrate, postgresConfig, sqliteConfig } from '../adapters/persistence/knex/migrations/migrate.js';
import { loadConfig } from './config.js';

/** Migrates by hand what the service migrates at start, so that several may do it at once and beside starting services. */
async function main(): Promise<void> {
  const { DATABASE_URL: url, DATA_DIR: directory } = loadConfig(process.env);
  if (url !== undefined) return migrate(postgresConfig(url));
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const releaseLock = takeLock(join(directory, 'service.lock'));
  if (releaseLock === undefined)
    throw new Error(`a Gatehouse is serving from ${directory}, and migrated it at its start`);
  await migrate(sqliteConfig(join(directory, 'gatehouse.sqlite'))).finally(releaseLock);
}

main().then(
  () => process.stderr.write('The schema is up to date.\n'),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
