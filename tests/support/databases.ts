import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import pg from 'pg';
import {
  type KnexDatabase,
  openPostgres,
  openSqlite,
  type SqliteOptions,
} from '../../src/adapters/persistence/knex/knex-database.js';
import { newSqliteBytes } from '../../src/adapters/persistence/knex/migrate.js';
import { unique } from './builders.js';

export const postgresUrl = process.env.TEST_POSTGRES_URL ?? '';

/** Skips on a machine without Postgres. With REQUIRE_POSTGRES every test fails instead. */
export const skipPostgres = postgresUrl === '' && process.env.REQUIRE_POSTGRES !== '1';

export async function onPostgres<Row extends pg.QueryResultRow>(sql: string, url = postgresUrl): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Row>(sql);
  await client.end();
  return rows;
}

const newName = (): string => `gatehouse_${process.pid}_${unique('test').replace('-', '_')}`;

interface Fresh {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/** A new schema, and a URL whose connections see only that schema. */
export async function freshSchema(): Promise<Fresh> {
  if (postgresUrl === '') throw new Error('REQUIRE_POSTGRES is set and TEST_POSTGRES_URL is not');
  const schema = newName();
  await onPostgres(`create schema ${schema}`);
  const url = new URL(postgresUrl);
  url.searchParams.set('options', `-c search_path=${schema}`);
  const drop = async () => {
    await onPostgres(`drop schema ${schema} cascade`);
  };
  return { url: url.href, drop };
}

/** A directory shared by one test run. */
const shared = process.env.TEST_TEMPLATES;

let sqliteTemplate: Promise<Buffer> | undefined;

/** The bytes of a SQLite database that has the schema and no rows: a test run makes them once. */
export const migratedBytes = (): Promise<Buffer> => (sqliteTemplate ??= sharedBytes());

async function sharedBytes(): Promise<Buffer> {
  const template = shared && join(shared, 'migrated.sqlite');
  if (template && existsSync(template)) return readFile(template);
  const bytes = await newSqliteBytes();
  if (!template) return bytes;
  // Another process may be creating the same file: it appears complete or not at all.
  const copy = `${template}.${process.pid}`;
  await writeFile(copy, bytes);
  await rename(copy, template);
  return bytes;
}

/** Opens a new SQLite file that has the schema and no rows. */
export async function openMigrated(file: string, options?: SqliteOptions): Promise<KnexDatabase> {
  await makeMigrated(file);
  return openSqlite(file, options);
}

/** Creates one and closes it. */
export const makeMigrated = async (file: string): Promise<void> => writeFile(file, await migratedBytes());

const urlOf = (database: string): string => Object.assign(new URL(postgresUrl), { pathname: `/${database}` }).href;

let template: Promise<string> | undefined;

/** A database of its own that has the schema and no rows. */
export async function freshDatabase(): Promise<Fresh> {
  template ??= migratedDatabase();
  const name = newName();
  await onPostgres(`create database ${name} template ${await template}`);
  const drop = async () => {
    await onPostgres(`drop database ${name} with (force)`);
  };
  return { url: urlOf(name), drop };
}

/** The name of the template that all test files copy; the first caller creates it. */
async function migratedDatabase(): Promise<string> {
  const name = `gatehouse_${basename(shared ?? '')
    .replaceAll(/\W/g, '_')
    .toLowerCase()}`;
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      await client.query(`create database ${name}`);
      const database = openPostgres(urlOf(name), { poolSize: 1 });
      await database.migrate();
      await database.close();
    }
  } finally {
    // Closing the connection releases the lock.
    await client.end();
  }
  return name;
}
