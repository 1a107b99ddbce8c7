import type Database from 'better-sqlite3';
import knex, { type Knex } from 'knex';
import { migrationSource } from './migration-source.js';

/** How Knex itself connects: to a SQLite file for migrations only. */
export const sqliteConfig = (filename: string): Knex.Config => ({
  client: 'better-sqlite3',
  useNullAsDefault: true,
  connection: { filename },
});

/** A logger that drops everything: Knex would write to standard output what its errors say anyway. */
const silent = { debug: () => {}, warn: () => {}, error: () => {}, deprecate: () => {} };

/** `timeout` is for a connection to come about, in milliseconds. */
export const postgresConfig = (connectionString: string, timeout = 10_000): Knex.Config => ({
  client: 'pg',
  connection: { connectionString, connectionTimeoutMillis: timeout },
  log: silent,
});

// Any number that nothing else in the database takes for a lock of its own.
const migrating = 7_083_241;

/** The schema was changed by a release that is newer than this one. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';
}

/** Brings the schema up to date in one transaction: a process that dies half-way leaves nothing, and no lock. Throws `NewerSchema`. */
export async function migrate(config: Knex.Config): Promise<void> {
  const database = knex(config);
  try {
    await bringUpToDate(database, config.client === 'pg');
  } finally {
    await database.destroy();
  }
}

/** The bytes of a SQLite database that has the schema and no rows. */
export async function newSqliteBytes(): Promise<Buffer> {
  const database = knex(sqliteConfig(':memory:'));
  try {
    await bringUpToDate(database, false);
    const connection: Database.Database = await database.client.acquireConnection();
    const bytes = connection.serialize();
    await database.client.releaseConnection(connection);
    return bytes;
  } finally {
    await database.destroy();
  }
}

const bringUpToDate = (database: Knex, onPostgres: boolean): Promise<void> =>
  database.transaction(async (transaction) => {
    if (onPostgres) await transaction.raw('select pg_advisory_xact_lock(?)', [migrating]);
    await refuseNewer(transaction);
    await transaction.migrate.latest({ migrationSource });
  });

/** How the schema stands to this release, by the names of migrations. */
export interface Schema {
  /** Those that were not made yet. */
  readonly missing: readonly string[];
  /** Those that this release does not know. */
  readonly unknown: readonly string[];
}

/** Looks, and changes nothing. */
export async function schemaOf(config: Knex.Config): Promise<Schema> {
  const database = knex(config);
  try {
    return await compare(database);
  } finally {
    await database.destroy();
  }
}

async function compare(database: Knex): Promise<Schema> {
  const known = await migrationSource.getMigrations([]);
  const made: readonly string[] = (await database.schema.hasTable('knex_migrations'))
    ? await database('knex_migrations').orderBy('id').pluck('name')
    : [];
  return {
    missing: known.filter((name) => !made.includes(name)),
    unknown: made.filter((name) => !known.includes(name)),
  };
}

async function refuseNewer(transaction: Knex.Transaction): Promise<void> {
  const { unknown } = await compare(transaction);
  if (unknown.length === 0) return;
  throw new NewerSchema(
    `This database was migrated by a newer release (${unknown.join(', ')}). Start that release, or restore a backup from before the upgrade.`,
  );
}
