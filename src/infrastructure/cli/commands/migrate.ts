import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLock } from '../../../adapters/persistence/knex/engine/sqlite-lock.js';
import { migrate as bringUpToDate, postgresConfig, sqliteConfig } from '../../../adapters/persistence/knex/migrate.js';
import { migratePostgres } from '../../../adapters/persistence/knex/migrate-postgres.js';
import type { Report } from '../../../adapters/persistence/knex/migrate-while-serving.js';
import { dataDirectory, OperatorError, refuseOtherUsers } from '../../backup.js';
import { type Config, postgresPlace } from '../../config.js';
import type { Command } from '../toolkit/command.js';
import { withDatabase } from '../toolkit/operator.js';
import { counted, fillsSentence } from '../toolkit/output.js';

/** The Knex configuration of the database, for migrations. Creates the directory of a SQLite file. */
export async function databaseOf(config: Config): Promise<ReturnType<typeof sqliteConfig>> {
  const { DATABASE_URL, DATABASE_DIRECT_URL: url = DATABASE_URL, DATA_DIR: directory } = config;
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

async function migrated(config: Config, report: Report): Promise<void> {
  const database = await databaseOf(config);
  const release = reserve(config);
  try {
    const { DATABASE_URL: url } = config;
    const options = { report };
    await (url === undefined
      ? bringUpToDate(database, options)
      : migratePostgres({ url, ...postgresPlace(config) }, options));
  } finally {
    release();
  }
}

export const migrate: Command = {
  name: 'migrate',
  does: 'migrates the database to this release, as the service does when it starts',
  about:
    'With Postgres, it is safe while instances are running and when run concurrently. It refuses to migrate the SQLite database of a running service. The service then fills in the rows that were there before.',
  run: async (call) => {
    const migrations: string[] = [];
    const text: string[] = [];
    await migrated(call.config, (progress) => {
      if (progress.step === 'waits') return call.progress.print(`waiting, because ${progress.reason}`);
      migrations.push(progress.name);
      text.push(`applied ${progress.name} in ${progress.milliseconds} ms`);
    });
    const fills = await withDatabase(call.config, ({ unitOfWork }) => unitOfWork.read((tx) => tx.fills.pending()));
    text.push(migrations.length === 0 ? 'the schema is up to date' : counted(migrations.length, 'migration'));
    if (fills.length > 0) text.push(fillsSentence(fills));
    return { json: { migrations, fills }, text: text.join('\n') };
  },
};
