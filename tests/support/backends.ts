import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type KnexDatabase, openPostgres, openSqlite } from '../../src/adapters/persistence/knex/knex-database.js';
import { MemoryUnitOfWork } from '../../src/adapters/persistence/memory/memory-unit-of-work.js';
import { unique } from './builders.js';

/** A database of its own, empty and migrated; `close` leaves nothing of it. */
export type OpenBackend = Pick<KnexDatabase, 'unitOfWork' | 'seedRun' | 'engine' | 'close'>;

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
    seedRun: async (run) => unitOfWork.seedRun(run),
    engine: async () => 'memory',
    close: async () => {},
  };
}

async function openFile(): Promise<OpenBackend> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
  const database = openSqlite(join(directory, 'test.sqlite'));
  await database.migrate();
  return {
    ...database,
    close: async () => {
      await database.close();
      await rm(directory, { recursive: true });
    },
  };
}

export const postgresUrl = process.env.TEST_POSTGRES_URL ?? '';

/** Skipped on a machine without one, unless it is said to be required: then its absence fails every test. */
export const skipPostgres = postgresUrl === '' && process.env.REQUIRE_POSTGRES !== '1';

async function onPostgres(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** A schema of its own, and a URL whose connections see nothing else. */
export async function freshSchema(): Promise<{ readonly url: string; readonly drop: () => Promise<void> }> {
  if (postgresUrl === '') throw new Error('REQUIRE_POSTGRES is set and TEST_POSTGRES_URL is not');
  const schema = `gatehouse_${process.pid}_${unique('test').replace('-', '_')}`;
  await onPostgres(`create schema ${schema}`);
  const url = new URL(postgresUrl);
  url.searchParams.set('options', `-c search_path=${schema}`);
  return { url: url.href, drop: () => onPostgres(`drop schema ${schema} cascade`) };
}

const openSchema = (poolSize: number) => async (): Promise<OpenBackend> => {
  const { url, drop } = await freshSchema();
  const database = openPostgres(url, { poolSize });
  await database.migrate();
  return {
    ...database,
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
