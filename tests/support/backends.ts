import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import {
  type MigratedDatabase,
  openOnConnection,
  openPostgres,
} from '../../src/adapters/persistence/knex/knex-database.js';
import { freshDatabase, migratedBytes, onPostgres, openMigrated, skipPostgres } from './databases.js';

/** A database of its own, empty and migrated; `close` leaves nothing of it. */
export interface OpenBackend extends Pick<MigratedDatabase, 'unitOfWork' | 'snapshots' | 'engine' | 'close'> {
  /** How many rows there are in each table, deleted ones among them. */
  rowCounts(): Promise<Readonly<Record<string, number>>>;
  /** Gathers what its planner knows of the rows. */
  analyze?(): Promise<unknown>;
}

export interface Backend {
  readonly name: string;
  /** The name and version that its engine reports. */
  readonly answers: RegExp;
  /** Whether reading and writing share one connection, so that neither can go on while the other is open. */
  readonly oneConnection: boolean;
  /** Whether a transaction may begin while another is open; otherwise it waits. */
  readonly transactionsOverlap: boolean;
  readonly skip: boolean;
  open(): Promise<OpenBackend>;
}

function rowCountsOf(connection: Database.Database): Readonly<Record<string, number>> {
  const count = (sql: string) => connection.prepare(sql).pluck().get() as number;
  const tables = connection.prepare("select name from sqlite_schema where type = 'table'").pluck().all() as string[];
  return Object.fromEntries(tables.map((table) => [table, count(`select count(*) from ${table}`)]));
}

async function openFile(): Promise<OpenBackend> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
  const file = join(directory, 'test.sqlite');
  const database = await openMigrated(file);
  return {
    ...database,
    rowCounts: async () => {
      const reader = new Database(file, { readonly: true });
      const counts = rowCountsOf(reader);
      reader.close();
      return counts;
    },
    close: async () => {
      await database.close();
      await rm(directory, { recursive: true });
    },
  };
}

async function openInMemory(): Promise<OpenBackend> {
  const connection = new Database(await migratedBytes());
  return { ...openOnConnection(connection), rowCounts: async () => rowCountsOf(connection) };
}

const openDatabase = (poolSize: number) => async (): Promise<OpenBackend> => {
  const { url, drop } = await freshDatabase();
  const database = openPostgres(url, { poolSize });
  return {
    ...database,
    analyze: () => onPostgres('analyze', url),
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

const sqlite = { answers: /^sqlite 3\.\d+/, transactionsOverlap: false, skip: false };

/** The backends that the contracts run on. */
export const backends: readonly Backend[] = [
  { ...sqlite, name: 'SQLite', oneConnection: false, open: openFile },
  { ...postgres, name: 'Postgres', oneConnection: false, transactionsOverlap: true, open: openDatabase(10) },
];

/** A statement that leaves its transaction waits here for a connection that never comes. */
export const onOneConnection: readonly Backend[] = [
  { ...sqlite, name: 'SQLite in memory', oneConnection: true, open: openInMemory },
  {
    ...postgres,
    name: 'Postgres on one connection',
    oneConnection: true,
    transactionsOverlap: false,
    open: openDatabase(1),
  },
];
