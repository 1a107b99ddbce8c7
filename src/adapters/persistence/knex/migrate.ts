import type Database from 'better-sqlite3';
import knex, { type Knex } from 'knex';
import type pg from 'pg';
import { cutWhenSilent } from './engine/postgres-sessions.js';
import { type MigrateOptions, migrateWhileServing } from './migrate-while-serving.js';
import { ownMigrations } from './migration-source.js';
import { compare, firstPending } from './schema.js';

/** How Knex itself connects: to a SQLite file for migrations only. */
export const sqliteConfig = (filename: string): Knex.Config => ({
  client: 'better-sqlite3',
  useNullAsDefault: true,
  connection: { filename },
});

/** A logger that drops everything: Knex would write to standard output what its errors say anyway. */
const silent = { debug: () => {}, warn: () => {}, error: () => {}, deprecate: () => {} };

/**
 * How Knex itself connects for short statements: a connection that receives nothing for long is cut. `timeout` is for a
 * connection to come about, in milliseconds.
 */
export const postgresConfig = (connectionString: string, timeout = 10_000): Knex.Config => ({
  client: 'pg',
  connection: { connectionString, connectionTimeoutMillis: timeout },
  pool: {
    min: 0,
    afterCreate: (connection: pg.Client, done: (error: null, connection: pg.Client) => void) => {
      cutWhenSilent(connection);
      done(null, connection);
    },
  },
  log: silent,
});

/** Whether the place of a database is the URL of a Postgres, and not a file. */
export const isPostgres = (place: string): boolean => /^postgres(ql)?:/.test(place);

/**
 * Brings the schema up to date. On SQLite in one transaction; on Postgres, each migration commits on its own while other
 * instances serve, and a process that dies leaves those before it. Throws `UnusableDatabase`.
 */
export async function migrate(config: Knex.Config, options: MigrateOptions = {}): Promise<void> {
  if (config.client === 'pg') return migrateWhileServing(config, options);
  const database = knex(config);
  try {
    await migrateAtOnce(database, options);
  } finally {
    await database.destroy();
  }
}

let newBytes: Promise<Buffer> | undefined;

/** The bytes of a SQLite database that has the schema and no rows. A process makes them once. */
export const newSqliteBytes = (): Promise<Buffer> => (newBytes ??= makeNewBytes());

async function makeNewBytes(): Promise<Buffer> {
  const database = knex(sqliteConfig(':memory:'));
  try {
    await migrateAtOnce(database, {});
    const connection: Database.Database = await database.client.acquireConnection();
    const bytes = connection.serialize();
    await database.client.releaseConnection(connection);
    return bytes;
  } finally {
    await database.destroy();
  }
}

const migrateAtOnce = (database: Knex, { migrations = ownMigrations, report }: MigrateOptions): Promise<void> =>
  database.transaction(async (transaction) => {
    for (;;) {
      const next = firstPending(await compare(transaction, migrations));
      if (next === undefined) return;
      const began = performance.now();
      await transaction.migrate.up({ migrationSource: migrations.source });
      report?.({ step: 'migrated', name: next, milliseconds: Math.round(performance.now() - began) });
    }
  });
