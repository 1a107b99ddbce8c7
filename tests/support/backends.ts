import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { type KnexDatabase, openPostgres, openSqlite } from '../../src/adapters/persistence/knex/knex-database.js';
import { MemoryUnitOfWork } from '../../src/adapters/persistence/memory/memory-unit-of-work.js';
import { unique } from './builders.js';

/** A database of its own, empty and migrated; `close` leaves nothing of it. */
export interface OpenBackend extends Pick<KnexDatabase, 'unitOfWork' | 'engine' | 'close'> {
  /** How many rows there are in each table, deleted ones among them. */
  rowCounts(): Promise<Readonly<Record<string, number>>>;
}

export interface Backend {
  readonly name: string;
  /** What its engine calls itself. */
  readonly answers: RegExp;
  /** Whether reading and writing share one connection, so that neither can go on while the other is open. */
  readonly oneConnection: boolean;
  readonly skip: boolean;
  open(): Promise<OpenBackend>;
}

async function openMemory(): Promise<OpenBackend> {
  const unitOfWork = new MemoryUnitOfWork();
  return {
    unitOfWork,
    engine: async () => 'memory',
    rowCounts: async () => {
      const tables = Object.entries<Map<unknown, unknown>>(Reflect.get(unitOfWork, 'committed'));
      return Object.fromEntries(tables.map(([name, rows]) => [name, rows.size]));
    },
    close: async () => {},
  };
}

async function openFile(): Promise<OpenBackend> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
  const file = join(directory, 'test.sqlite');
  const database = openSqlite(file);
  await database.migrate();
  return {
    ...database,
    rowCounts: async () => {
      const reader = new Database(file, { readonly: true });
      const count = (sql: string) => reader.prepare(sql).pluck().get() as number;
      const tables = reader.prepare("select name from sqlite_schema where type = 'table'").pluck().all() as string[];
      const counts = tables.map((table) => [table, count(`select count(*) from ${table}`)] as const);
      reader.close();
      return Object.fromEntries(counts);
    },
    close: async () => {
      await database.close();
      await rm(directory, { recursive: true });
    },
  };
}

export const postgresUrl = process.env.TEST_POSTGRES_URL ?? '';

/** Skipped on a machine without one, unless it is said to be required: then its absence fails every test. */
export const skipPostgres = postgresUrl === '' && process.env.REQUIRE_POSTGRES !== '1';

async function onPostgres<Row extends pg.QueryResultRow>(sql: string, url = postgresUrl): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Row>(sql);
  await client.end();
  return rows;
}

/** A schema of its own, and a URL whose connections see nothing else. */
export async function freshSchema(): Promise<{ readonly url: string; readonly drop: () => Promise<void> }> {
  if (postgresUrl === '') throw new Error('REQUIRE_POSTGRES is set and TEST_POSTGRES_URL is not');
  const schema = `gatehouse_${process.pid}_${unique('test').replace('-', '_')}`;
  await onPostgres(`create schema ${schema}`);
  const url = new URL(postgresUrl);
  url.searchParams.set('options', `-c search_path=${schema}`);
  const drop = async () => {
    await onPostgres(`drop schema ${schema} cascade`);
  };
  return { url: url.href, drop };
}

const openSchema = (poolSize: number) => async (): Promise<OpenBackend> => {
  const { url, drop } = await freshSchema();
  const database = openPostgres(url, { poolSize });
  await database.migrate();
  return {
    ...database,
    rowCounts: async () => {
      const tables = await onPostgres<{ name: string }>(
        'select tablename as name from pg_tables where schemaname = current_schema()',
        url,
      );
      const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as rows from ${name}`);
      const rows = await onPostgres<{ name: string; rows: number }>(counts.join(' union all '), url);
      return Object.fromEntries(rows.map((row) => [row.name, row.rows]));
    },
    close: async () => {
      await database.close();
      await drop();
    },
  };
};

const postgres = { answers: /^postgres \d+\.\d+/, skip: skipPostgres };

/** What the contracts are run on. */
export const backends: readonly Backend[] = [
  { name: 'memory', answers: /^memory$/, oneConnection: false, skip: false, open: openMemory },
  { name: 'SQLite', answers: /^sqlite 3\.\d+/, oneConnection: false, skip: false, open: openFile },
  { ...postgres, name: 'Postgres', oneConnection: false, open: openSchema(10) },
  { ...postgres, name: 'Postgres on one connection', oneConnection: true, open: openSchema(1) },
];
