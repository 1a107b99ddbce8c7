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

/** The database has migrations that this release does not know, so that it can neither be used nor migrated. */
export class UnknownMigrations extends Error {
  override readonly name = 'UnknownMigrations';

  constructor(
    readonly fault: string,
    readonly remedy: string,
  ) {
    super(`${fault}; ${remedy}`);
  }
}

/**
 * Brings the schema up to date in one transaction: a process that dies half-way leaves nothing, and no lock. Throws
 * `UnknownMigrations`.
 */
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
    const { refusal } = await compare(transaction);
    if (refusal !== undefined) throw refusal;
    await transaction.migrate.latest({ migrationSource });
  });

/** The state of the schema relative to this release. */
export interface Schema {
  /** The names of the pending migrations. */
  readonly missing: readonly string[];
  readonly refusal: UnknownMigrations | undefined;
}

/** Changes nothing. */
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
  const applied: readonly string[] = (await database.schema.hasTable('knex_migrations'))
    ? await database('knex_migrations').orderBy('id').pluck('name')
    : [];
  const unknown = applied.filter((name) => !known.includes(name));
  return { missing: known.filter((name) => !applied.includes(name)), refusal: refusalOf(unknown, known) };
}

function refusalOf([first, ...others]: readonly string[], [oldest = '']: readonly string[]) {
  if (first === undefined) return undefined;
  // Names begin with the time.
  return first < oldest
    ? new UnknownMigrations(
        `a version from before the first release created this database (${first})`,
        'its data cannot be migrated: set DATA_DIR or DATABASE_URL to an empty database',
      )
    : new UnknownMigrations(
        `a newer release migrated this database (${[first, ...others].join(', ')})`,
        'start that release, or restore a backup from before the upgrade',
      );
}
