import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import knex, { type Knex } from 'knex';
import type pg from 'pg';
import type { Snapshots } from '../../../application/ports/repositories/snapshots.js';
import type { Transaction, UnitOfWork } from '../../../application/ports/repositories/unit-of-work.js';
import { DomainError, type Instant } from '../../../domain/index.js';
import { Checkpoints, maxPagesInLog, pageBytes } from './engine/checkpoints.js';
import {
  inOneTransaction,
  OpenSnapshots,
  type Snapshot,
  type SnapshotLimits,
  snapshotLimits,
} from './engine/open-snapshots.js';
import { onConnection, type PooledConnection, refusalOf, refusalOfWrite } from './engine/postgres-faults.js';
import { PostgresReads } from './engine/postgres-reads.js';
import { type Pooling, prepareConnection, sessionKind } from './engine/postgres-sessions.js';
import { PostgresSnapshot } from './engine/postgres-snapshot.js';
import { isNameFault, StatementSender, withNames } from './engine/postgres-statements.js';
import { PostgresTransaction } from './engine/postgres-transaction.js';
import { Present } from './engine/present.js';
import { isRefusedAsReadOnly } from './engine/read-only.js';
import { GroupedCommits, ReadsBetweenCommits } from './engine/sqlite-commits.js';
import { withMappedFaults } from './engine/sqlite-faults.js';
import { type SqliteConnection, SqliteStatements } from './engine/sqlite-statements.js';
import type { OnStatement, Statements } from './engine/statements.js';
import { Switches } from './engine/switches.js';
import { migrate, postgresConfig, sqliteConfig } from './migrate.js';
import { connectionOf, migratePostgres, sessionOf } from './migrate-postgres.js';
import type { Report } from './migrate-while-serving.js';
import { type Migrations, ownMigrations } from './migration-source.js';
import { News, type NewsListeners } from './news.js';
import { PostgresNews } from './postgres-news.js';
import { type Schema, schemaOf } from './schema.js';
import { type Setting, transactionOn } from './transaction-on.js';

/** The use of a pooler: whether statements are prepared once, and how news of other processes arrive. */
export interface PoolerUse {
  readonly statements: 'named' | 'unnamed';
  readonly news: 'pushed' | 'polled';
}

/** An open database that has the schema, and its operations outside the repositories. */
export interface MigratedDatabase {
  readonly unitOfWork: UnitOfWork;
  readonly snapshots: Snapshots;
  /** Rejects with what keeps the database from reading and writing: `service/unavailable` or `service/storage-full`. */
  ping(): Promise<void>;
  /** Whether it serves reads and accepts no writes. Rejects while it does neither. */
  readOnly(): Promise<boolean>;
  /** The number of connections, and of units of work that wait for one; undefined without a pool. */
  readonly connections?: () => { readonly inUse: number; readonly idle: number; readonly waiting: number };
  /** How a pooler between this process and Postgres is used; undefined without one. */
  readonly pooler?: () => PoolerUse | undefined;
  /** Passes on what this process and others commit from now on. */
  onChange(listeners: NewsListeners): void;
  /** The database's own name and version: `sqlite 3.54.1`, `postgres 18.4`. */
  engine(): Promise<string>;
  /** Waits for open work to finish. */
  close(): Promise<void>;
}

/** An open database whose schema may be missing, or of another release. */
export interface KnexDatabase extends MigratedDatabase {
  /** Brings the schema up to date; does nothing when it is. Processes that share a Postgres may all do it at once. */
  migrate(report?: Report): Promise<void>;
  /** The state of the schema relative to this release. */
  schema(): Promise<Schema>;
}

const busyTimeout = 5_000;
const systemTime = (): Instant => new Date().toISOString();

/** On Postgres, a transaction that takes longer is not committed. In milliseconds. */
const usualLongest = 25_000;

const sqliteSettings = [
  'journal_mode = WAL',
  // A commit is flushed before it is acknowledged; on macOS also out of the drive's own cache, as other systems always
  // do.
  'synchronous = FULL',
  'fullfsync = ON',
  `wal_autocheckpoint = ${maxPagesInLog}`,
  // In bytes. Shrinks the log again after a long backup made it grow.
  `journal_size_limit = ${maxPagesInLog * pageBytes}`,
  'foreign_keys = ON',
];

/** Builds the text of statements, and has no connection. One for all, because what it has built is kept with it. */
const sqliteText = knex({ client: 'better-sqlite3', useNullAsDefault: true });

export interface SqliteOptions {
  /** How long a unit of work may wait for something outside the database, in milliseconds. */
  readonly longest?: number | undefined;
  /** The clock of recorded timestamps; by default the system's. */
  readonly now?: () => Instant;
  /** Decides which grants have ended; by default by the same clock. */
  readonly present?: Present;
  readonly onStatement?: OnStatement;
  readonly snapshots?: SnapshotLimits;
  /** By default those of this release. */
  readonly migrations?: Migrations;
}

/**
 * Opens a file, created if missing, for one process: its writes take turns on one connection, and never wait for reads
 * on another. Ready writes share a commit, which is on disk before it is acknowledged.
 */
export function openSqlite(file: string, options: SqliteOptions = {}): KnexDatabase {
  const writer = new Database(file, { timeout: busyTimeout });
  for (const setting of sqliteSettings) writer.pragma(setting);
  // Its commits wait for the lock on their own.
  writer.pragma('busy_timeout = 0');
  const reader = new Database(file, { readonly: true, timeout: busyTimeout });
  const present = new Present(options.now ?? systemTime);
  const writing = new SqliteStatements(sqliteText, writer, present, options.onStatement);
  const checkpoints = new Checkpoints(file, writer);
  const commits = new GroupedCommits(writer, writing, options.longest, () => checkpoints.afterCommit());
  const database = onSqlite(commits, new SqliteStatements(sqliteText, reader, present, options.onStatement), options);
  // A reader in a transaction of its own: in WAL mode it delays no writes, and sees none of them.
  const openSnapshot = async () => {
    const connection = new Database(file, { readonly: true, timeout: busyTimeout });
    connection.exec('begin');
    const statements = new SqliteStatements(sqliteText, connection, present, options.onStatement);
    return onConnectionOf(database.committedOn(statements), async () => void connection.close());
  };
  return {
    ...database,
    snapshots: new OpenSnapshots(openSnapshot, withMappedFaults, options.snapshots),
    migrate: (report) => migrate(sqliteConfig(file), { migrations: options.migrations, report }),
    schema: () => schemaOf(sqliteConfig(file), options.migrations),
    close: async () => {
      await database.close();
      await checkpoints.close();
      reader.close();
      writer.close();
    },
  };
}

/** Serves a database that has no other connection, such as one in memory. Closing leaves the connection open. */
export function openOnConnection(connection: SqliteConnection, options: SqliteOptions = {}): MigratedDatabase {
  connection.exec('pragma foreign_keys = ON');
  const present = options.present ?? new Present(options.now ?? systemTime);
  const statements = new SqliteStatements(sqliteText, connection, present, options.onStatement);
  const commits = new GroupedCommits(connection, statements, options.longest);
  return onSqlite(commits, new ReadsBetweenCommits(statements, commits), options);
}

function onSqlite(
  commits: GroupedCommits,
  reading: Statements,
  { now = systemTime, migrations = ownMigrations }: SqliteOptions,
): MigratedDatabase & { readonly committedOn: (db: Statements) => Transaction } {
  const switches = new Switches(namesOf(migrations), async () =>
    (await reading.all<{ readonly name: string }>(filledNames)).map(({ name }) => name),
  );
  const setting: Setting = { engine: 'sqlite', now, migrations, switches };
  const committed = transactionOn(reading, setting);
  // Takes the lock for writing, and writes nothing.
  const ping = () => withMappedFaults(commits.run(async () => undefined));
  let listeners: NewsListeners | undefined;
  const unitOfWork: UnitOfWork = {
    run: async (work) => {
      await switches.due();
      const news = new News();
      const result = await withMappedFaults(commits.run((db) => work(transactionOn(db, setting, news))));
      if (listeners !== undefined) news.notify(listeners);
      return result;
    },
    read: async (work) => {
      await switches.due();
      return withMappedFaults(work(committed));
    },
  };
  return {
    unitOfWork,
    snapshots: inOneTransaction(unitOfWork),
    committedOn: (db) => transactionOn(db, setting),
    ping,
    readOnly: () => isRefusedAsReadOnly(ping()),
    onChange: (given) => {
      listeners = given;
    },
    engine: async () => {
      const row = await reading.first<{ version: string }>({ sql: 'select sqlite_version() as version', bindings: [] });
      return `sqlite ${row?.version}`;
    },
    close: async () => {
      await switches.settled();
      await commits.settled();
    },
  };
}

/** A snapshot on a connection of its own. */
const onConnectionOf = (tx: Transaction, close: () => Promise<void>): Snapshot => ({
  start: (work) => work(tx),
  close,
});

const readOnlyQuery = {
  sql: `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`,
  bindings: [],
  recurs: true,
};

const filledNames = { sql: 'select name from fills where filled', bindings: [] };

const namesOf = ({ fills }: Migrations): readonly string[] => fills.map(({ name }) => name);

const tooLong = () => new DomainError('service/unavailable', 'the database is too slow right now; nothing was changed');

export interface PostgresOptions {
  readonly poolSize?: number;
  /** How long to wait for a connection, in milliseconds. */
  readonly timeout?: number;
  /** How long a connection may be silent, in milliseconds. */
  readonly silence?: number;
  /** How long a transaction may take until its commit, in milliseconds. */
  readonly longest?: number;
  /** The clock of recorded timestamps; by default the system's. */
  readonly now?: () => Instant;
  readonly onStatement?: OnStatement;
  readonly pooling?: Pooling;
  /** The same database without a pooler, for migrations and notifications. */
  readonly directUrl?: string | undefined;
  /** Called once, when the pooler turns out not to keep prepared statements. */
  readonly onUnnamed?: () => void;
  readonly snapshots?: SnapshotLimits;
  /** By default those of this release. */
  readonly migrations?: Migrations;
}

/** A snapshot whose reader is slow ends before the server gives it up. In milliseconds. */
const betweenStatements = 20_000;

/** How long a health check waits for the database, in milliseconds. */
const pingTimeout = 3_000;

/**
 * Opens a pool of connections, each made when first needed, and again when it is lost. While the database does not
 * answer, work is refused as `service/unavailable`.
 */
export function openPostgres(
  url: string,
  {
    poolSize = 10,
    timeout = 10_000,
    silence,
    longest = usualLongest,
    onStatement,
    now = systemTime,
    pooling = 'auto',
    directUrl,
    onUnnamed = () => {},
    snapshots = snapshotLimits,
    migrations = ownMigrations,
  }: PostgresOptions = {},
): KnexDatabase {
  const config = { ...postgresConfig(url, timeout), acquireConnectionTimeout: timeout };
  const place = { url, directUrl, pooling };
  const session = sessionOf(place);
  const sessionConfig = postgresConfig(session.url, timeout).connection as pg.ClientConfig;
  let pooled = pooling === 'transaction';
  let polled = false;
  const pool = knex({
    ...config,
    connection: { ...(config.connection as object), pipeline: true } as Knex.PgConnectionConfig,
    pool: {
      min: 0,
      max: poolSize,
      afterCreate: (connection: PooledConnection, done: (error: Error | null, connection: pg.Client) => void) => {
        prepareConnection(connection, { pooling, silence }).then(
          () => {
            pooled = connection.pooled === true;
            done(null, connection);
          },
          (error: Error) => done(error, connection),
        );
      },
    },
  });
  // Has no connection of its own, so that what it builds cannot run on the wrong one by mistake.
  const sql = knex({ client: 'pg' });
  const sender = new StatementSender({ onStatement, pooling, onUnnamed });
  const switches = new Switches(namesOf(migrations), async () => {
    const { rows } = await pool.raw<{ rows: { name: string }[] }>(filledNames.sql);
    return rows.map(({ name }) => name);
  });
  const present = new Present();
  const setting: Setting = { engine: 'postgres', now, migrations, switches };
  const reads = new PostgresReads(sql, present, pool, sender, { poolSize, timeout });
  const committed = transactionOn(reads, setting);

  const answered = <Result>(work: Promise<Result>, refusal = refusalOf): Promise<Result> =>
    work.catch((error: unknown) => {
      throw refusal(error) ?? error;
    });

  const openSnapshot = async (key: string) => {
    const connection = { ...connectionOf(url), connectionTimeoutMillis: timeout };
    const options = { pooling, silence: snapshots.unread + betweenStatements };
    const statements = await PostgresSnapshot.open(key, connection, options, { sql, present, sender });
    return statements && onConnectionOf(transactionOn(statements, setting), () => statements.close());
  };

  let others: PostgresNews | undefined;
  const attempt = <Result>(work: (tx: Transaction) => Promise<Result>, named: boolean): Promise<Result> =>
    onConnection(pool, async (connection) => {
      const db = new PostgresTransaction(sql, present, connection, sender, named);
      try {
        const began = performance.now();
        const news = new News();
        const result = await work(transactionOn(db, setting, news));
        if (performance.now() - began > longest) throw tooLong();
        await db.commit();
        others?.publish(news);
        return result;
      } catch (error) {
        // If the rollback fails too, report the first error and do not reuse the connection.
        await db.rollback().catch((failure: unknown) => {
          connection.__knex__disposed = failure;
        });
        // The work may have replaced it by an error of its own.
        throw isNameFault(db.cause) ? db.cause : error;
      }
    });
  const transact = <Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> =>
    withNames((named) => attempt(work, named));

  // As requests ask, so that it fails if they do.
  const ask = (): Promise<void> =>
    withNames((named) =>
      onConnection(pool, async (connection) => {
        const { rows } = await sender.send(connection, readOnlyQuery, named);
        if (rows[0]?.read_only) throw Object.assign(new Error('the server accepts no writes'), { code: '25006' });
      }),
    );

  const ping = async (): Promise<void> => {
    const waiting = new AbortController();
    const late = pause(Math.min(pingTimeout, timeout), undefined, { signal: waiting.signal }).then(() => {
      throw new DomainError('service/unavailable', 'the database responds slowly');
    });
    try {
      await Promise.race([answered(ask()), late]);
    } finally {
      waiting.abort();
    }
  };

  const isShared = async (client: pg.Client): Promise<boolean> => {
    const kind = session.pooling === 'auto' ? await sessionKind(client, sessionConfig) : session.pooling;
    polled = kind === 'shared' || kind === 'transaction';
    return polled;
  };

  return {
    unitOfWork: {
      run: async (work) => {
        await switches.due();
        return answered(transact(work), refusalOfWrite);
      },
      read: async (work) => {
        await switches.due();
        return answered(work(committed));
      },
    },
    snapshots: new OpenSnapshots(openSnapshot, answered, snapshots),
    migrate: (report) => answered(migratePostgres(place, { migrations, report })),
    schema: () => answered(schemaOf(config, migrations)),
    pooler: () =>
      pooled ? { statements: sender.naming ? 'named' : 'unnamed', news: polled ? 'polled' : 'pushed' } : undefined,
    ping,
    readOnly: () => isRefusedAsReadOnly(ping()),
    onChange: (listeners) => {
      others = new PostgresNews(sessionConfig, listeners, isShared, silence);
    },
    engine: async () => {
      const { rows } = await pool.raw<{ rows: { server_version: string }[] }>('show server_version');
      return `postgres ${rows[0]?.server_version.split(' ')[0]}`;
    },
    connections: () => {
      const { pool: made } = pool.client;
      return { inUse: made.numUsed(), idle: made.numFree(), waiting: made.numPendingAcquires() + reads.awaiting };
    },
    close: async () => {
      await others?.close();
      await switches.settled();
      await pool.destroy();
    },
  };
}
