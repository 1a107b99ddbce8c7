import Database from 'better-sqlite3';
import knex, { type Knex } from 'knex';
import type pg from 'pg';
import type { Transaction, UnitOfWork } from '../../../application/ports/unit-of-work.js';
import { PostgresStatements, StatementNames } from './engine/postgres-statements.js';
import { SqliteStatements } from './engine/sqlite-statements.js';
import { type OnStatement, type Query, type Statements, stale } from './engine/statements.js';
import { KnexAgentPools, KnexAgentTokens } from './knex-agents.js';
import { KnexApiTokens } from './knex-api-tokens.js';
import { KnexConfigurationVersions } from './knex-configuration-versions.js';
import { KnexEffects } from './knex-effects.js';
import { KnexMemberships, KnexOrganizations } from './knex-organizations.js';
import { KnexPolicySets } from './knex-policy-sets.js';
import { KnexRemovals } from './knex-removals.js';
import { KnexRunLogs, KnexRuns } from './knex-runs.js';
import { KnexTaskStages } from './knex-task-stages.js';
import { KnexTeamAccess } from './knex-team-access.js';
import { KnexTeams } from './knex-teams.js';
import { KnexUsers } from './knex-users.js';
import { KnexWorkspaces } from './knex-workspaces.js';
import { migrate, postgresConfig, sqliteConfig } from './migrations/migrate.js';

/** An opened database, and all that is not a repository's business about it. */
export interface KnexDatabase {
  readonly unitOfWork: UnitOfWork;
  /** Brings the schema up to date, and does nothing when it is. Processes that share a Postgres may all do it at once. */
  migrate(): Promise<void>;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  /** What answers, in its own words: `sqlite 3.54.1`, `postgres 18.4`. */
  engine(): Promise<string>;
  /** Lets what is open finish first. */
  close(): Promise<void>;
}

const busyTimeout = 5_000;
/** What Postgres says when a transaction lost against another one, and will do better on a second try. */
const lost: readonly (string | undefined)[] = [
  '40P01', // deadlock
  '40001', // serialization failure
  '55P03', // waited for a lock too long
  '23503', // what it refers to was removed meanwhile
];
/** So that one that hangs does not take the others with it. In milliseconds. */
const postgresPatience = { lock_timeout: 10_000, idle_in_transaction_session_timeout: 60_000 };

const transactionOn = (db: Statements): Transaction => ({
  organizations: new KnexOrganizations(db),
  memberships: new KnexMemberships(db),
  users: new KnexUsers(db),
  tokens: new KnexApiTokens(db),
  teams: new KnexTeams(db),
  teamAccess: new KnexTeamAccess(db),
  workspaces: new KnexWorkspaces(db),
  configurationVersions: new KnexConfigurationVersions(db),
  runs: new KnexRuns(db),
  runLogs: new KnexRunLogs(db),
  policySets: new KnexPolicySets(db),
  taskStages: new KnexTaskStages(db),
  agentPools: new KnexAgentPools(db),
  agentTokens: new KnexAgentTokens(db),
  effects: new KnexEffects(db),
  removals: new KnexRemovals(db),
});

/** Refuses to run anything once its transaction is over: on a shared connection it would become part of the next one. */
class OpenStatements implements Statements {
  readonly sql: Knex;
  over = false;

  constructor(private readonly inner: Statements) {
    this.sql = inner.sql;
  }

  async all<Row>(query: Query): Promise<Row[]> {
    return this.open().all(query);
  }

  async first<Row>(query: Query): Promise<Row | undefined> {
    return this.open().first(query);
  }

  async run(query: Query): Promise<number> {
    return this.open().run(query);
  }

  private open(): Statements {
    if (this.over) throw new Error('the transaction is over');
    return this.inner;
  }
}

export interface SqliteOptions {
  readonly onStatement?: OnStatement;
}

/**
 * Opens a file, made when missing, for one process: its writes take turns on one connection, and never wait for reads
 * on another. A commit is on disk before it is acknowledged.
 */
export function openSqlite(file: string, { onStatement }: SqliteOptions = {}): KnexDatabase {
  const sql = knex({ client: 'better-sqlite3', useNullAsDefault: true });
  const writer = new Database(file, { timeout: busyTimeout });
  writer.pragma('journal_mode = WAL');
  writer.pragma('synchronous = FULL');
  writer.pragma('foreign_keys = ON');
  const reader = new Database(file, { readonly: true, timeout: busyTimeout });
  const writing = new SqliteStatements(sql, writer, onStatement);
  const reading = new SqliteStatements(sql, reader, onStatement);
  const committed = transactionOn(reading);
  let lastOfQueue: Promise<unknown> = Promise.resolve();

  const transact = async <Result>(work: (db: Statements) => Promise<Result>): Promise<Result> => {
    const db = new OpenStatements(writing);
    writer.exec('begin immediate');
    try {
      const result = await work(db);
      writer.exec('commit');
      return result;
    } finally {
      db.over = true;
      // Some failures, a full disk for one, have ended the transaction by themselves.
      if (writer.inTransaction) writer.exec('rollback');
    }
  };
  const inTurn = <Result>(work: (db: Statements) => Promise<Result>): Promise<Result> => {
    const result = lastOfQueue.then(() => transact(work));
    lastOfQueue = result.catch(() => undefined);
    return result;
  };

  return {
    unitOfWork: {
      run: (work) => inTurn((db) => work(transactionOn(db))),
      read: async (work) => work(committed),
    },
    migrate: () => migrate(sqliteConfig(file)),
    ping: async () => {
      reader.exec('select 1');
    },
    engine: async () => `sqlite ${reader.prepare('select sqlite_version()').pluck().get()}`,
    close: async () => {
      await lastOfQueue;
      reader.close();
      writer.close();
    },
  };
}

export interface PostgresOptions {
  readonly poolSize?: number;
  /** How long to wait for a connection, in milliseconds. */
  readonly patience?: number;
  readonly onStatement?: OnStatement;
}

/** Opens a pool of connections, each made when first needed. */
export function openPostgres(
  url: string,
  { poolSize = 10, patience = 10_000, onStatement }: PostgresOptions = {},
): KnexDatabase {
  const config = { ...postgresConfig(url), acquireConnectionTimeout: patience };
  const limits = Object.entries(postgresPatience).map(([name, value]) => `set ${name} = ${value}`);
  const pool = knex({
    ...config,
    pool: {
      min: 0,
      max: poolSize,
      afterCreate: (connection: pg.Client, done: (error: Error | null, connection: pg.Client) => void) => {
        connection.query(limits.join('; ')).then(
          () => done(null, connection),
          (error: Error) => done(error, connection),
        );
      },
    },
  });
  // Without a connection of its own: what it builds cannot be run on the wrong one by mistake.
  const sql = knex({ client: 'pg' });
  const names = new StatementNames();
  const on = (connection: Knex) => new PostgresStatements(sql, connection, names, onStatement);
  const committed = transactionOn(on(pool));

  const transact = async <Result>(work: (db: Statements) => Promise<Result>): Promise<Result> => {
    try {
      return await pool.transaction((transaction) => work(on(transaction)));
    } catch (error) {
      if (lost.includes((error as { code?: string }).code)) throw stale("two changes got in each other's way");
      throw error;
    }
  };

  return {
    unitOfWork: {
      run: (work) => transact((db) => work(transactionOn(db))),
      read: async (work) => work(committed),
    },
    migrate: () => migrate({ ...config, pool: { min: 0, max: 1 } }),
    ping: async () => {
      await pool.raw('select 1');
    },
    engine: async () => {
      const { rows } = await pool.raw<{ rows: { server_version: string }[] }>('show server_version');
      return `postgres ${rows[0]?.server_version.split(' ')[0]}`;
    },
    close: () => pool.destroy(),
  };
}
