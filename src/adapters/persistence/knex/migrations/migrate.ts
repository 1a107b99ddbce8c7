import knex, { type Knex } from 'knex';
import { migrationSource } from './migration-source.js';

/** How Knex itself connects: to a SQLite file for migrations only. */
export const sqliteConfig = (filename: string): Knex.Config => ({
  client: 'better-sqlite3',
  useNullAsDefault: true,
  connection: { filename },
});

export const postgresConfig = (connectionString: string): Knex.Config => ({
  client: 'pg',
  connection: { connectionString },
});

// Any number that nothing else in the database takes for a lock of its own.
const migrating = 7_083_241;

/** Brings the schema up to date in one transaction: a process that dies half-way leaves nothing, and no lock. */
export async function migrate(config: Knex.Config): Promise<void> {
  const database = knex(config);
  try {
    await database.transaction(async (transaction) => {
      if (config.client === 'pg') await transaction.raw('select pg_advisory_xact_lock(?)', [migrating]);
      await transaction.migrate.latest({ migrationSource });
    });
  } finally {
    await database.destroy();
  }
}
