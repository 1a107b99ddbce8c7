import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import knex, { type Knex } from 'knex';
import type pg from 'pg';
import { noteChange } from '../../../application/ports/outside/changes.js';
import type { Transaction, UnitOfWork } from '../../../application/ports/repositories/unit-of-work.js';
import { DomainError, type Instant } from '../../../domain/index.js';
import { limit, onConnection, refusalOf, refusalOfWrite } from './engine/postgres-faults.js';
import { PostgresReads, StatementSender } from './engine/postgres-statements.js';
import { PostgresTransaction } from './engine/postgres-transaction.js';
import { GroupedCommits, ReadsBetweenCommits } from './engine/sqlite-commits.js';
import { withMappedFaults } from './engine/sqlite-faults.js';
import { type SqliteConnection, SqliteStatements } from './engine/sqlite-statements.js';
import type { OnStatement, Statements } from './engine/statements.js';
import { migrate, postgresConfig, type Schema, schemaOf, sqliteConfig } from './migrate.js';
import { News, type NewsListeners } from './news.js';
import { PostgresNews } from './postgres-news.js';
import { KnexEffects } from './repositories/background/knex-effects.js';
import { KnexRequestRates, KnexSigningKeys } from './repositories/background/knex-instances.js';
import { KnexRemovals } from './repositories/background/knex-removals.js';
import { KnexRowLocks } from './repositories/background/knex-row-locks.js';
import { KnexConfigurationVersions } from './repositories/configuration-versions/knex-configuration-versions.js';
import { KnexKeptBytes } from './repositories/files/knex-kept-bytes.js';
import { KnexStoredFiles } from './repositories/files/knex-stored-files.js';
import { KnexTaskStages } from './repositories/policy-outcomes/knex-task-stages.js';
import { KnexAgentPools, KnexAgentTokens } from './repositories/supporting/agents/knex-agents.js';
import { KnexAuditTrail } from './repositories/supporting/audit/knex-audit-trail.js';
import { KnexMemberships, KnexOrganizations } from './repositories/supporting/organizations/knex-organizations.js';
import { KnexPolicies } from './repositories/supporting/policies/knex-policies.js';
import { KnexPolicySetParameters } from './repositories/supporting/policies/knex-policy-set-parameters.js';
import { KnexPolicySetVersions } from './repositories/supporting/policies/knex-policy-set-versions.js';
import { KnexPolicySets } from './repositories/supporting/policies/knex-policy-sets.js';
import { KnexProjects } from './repositories/supporting/projects/knex-projects.js';
import { KnexRunTasks, KnexWorkspaceTasks } from './repositories/supporting/run-tasks/knex-run-tasks.js';
import { KnexTaskResults } from './repositories/supporting/run-tasks/knex-task-results.js';
import { KnexRunArtifacts } from './repositories/supporting/runs/knex-run-artifacts.js';
import { KnexRunComments } from './repositories/supporting/runs/knex-run-comments.js';
import { KnexRunLogs } from './repositories/supporting/runs/knex-run-logs.js';
import { KnexRuns } from './repositories/supporting/runs/knex-runs.js';
import { KnexIdentities } from './repositories/supporting/sign-in/knex-identities.js';
import { KnexSessions } from './repositories/supporting/sign-in/knex-sessions.js';
import { KnexStateOutputs } from './repositories/supporting/state-versions/knex-state-outputs.js';
import { KnexStateVersions } from './repositories/supporting/state-versions/knex-state-versions.js';
import { KnexTagBindings } from './repositories/supporting/tags/knex-tag-bindings.js';
import { KnexTags } from './repositories/supporting/tags/knex-tags.js';
import { KnexTeamGroups } from './repositories/supporting/teams/knex-team-groups.js';
import { KnexTeams } from './repositories/supporting/teams/knex-teams.js';
import { KnexUsers } from './repositories/supporting/users/knex-users.js';
import { KnexSetVariables } from './repositories/supporting/variables/knex-set-variables.js';
import { KnexVariableSets } from './repositories/supporting/variables/knex-variable-sets.js';
import { KnexVariables } from './repositories/supporting/variables/knex-variables.js';
import { KnexWorkspaces } from './repositories/supporting/workspaces/knex-workspaces.js';
import { KnexProjectAccess } from './repositories/team-access/knex-project-access.js';
import { KnexTeamAccess } from './repositories/team-access/knex-team-access.js';
import { KnexApiTokens } from './repositories/tokens/knex-api-tokens.js';
import { KnexTeamTokens } from './repositories/tokens/knex-team-tokens.js';

/** An open database that has the schema, and its operations outside the repositories. */
export interface MigratedDatabase {
  readonly unitOfWork: UnitOfWork;
  /** Rejects with what keeps the database from reading and writing: `service/unavailable` or `service/storage-full`. */
  ping(): Promise<void>;
  /** The number of connections, and of units of work that wait for one; undefined without a pool. */
  readonly connections?: () => { readonly inUse: number; readonly idle: number; readonly waiting: number };
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
  migrate(): Promise<void>;
  /** The state of the schema relative to this release. */
  schema(): Promise<Schema>;
}

const busyTimeout = 5_000;
const systemTime = (): Instant => new Date().toISOString();

/** On Postgres, a transaction that takes longer is not committed. In milliseconds. */
const usualLongest = 25_000;

/**
 * Longer than an event takes from its timestamp to its commit. The commit is requested at most `usualLongest` after the
 * transaction began; the server receives it within the 15 seconds that a transaction may be idle, and takes at most the
 * 15 of any statement. The clocks of instances agree to within a second. SQLite has one writer at a time.
 */
const settlesInSeconds = { sqlite: 0, postgres: 60 } as const;

const transactionOn = (
  db: Statements,
  now: () => Instant,
  engine: keyof typeof settlesInSeconds,
  { ordered, changed } = new News(),
): Transaction => ({
  organizations: new KnexOrganizations(db),
  memberships: new KnexMemberships(db),
  users: new KnexUsers(db),
  identities: new KnexIdentities(db),
  sessions: new KnexSessions(db),
  tokens: new KnexApiTokens(db),
  teamTokens: new KnexTeamTokens(db),
  teams: new KnexTeams(db),
  teamGroups: new KnexTeamGroups(db),
  teamAccess: new KnexTeamAccess(db),
  projectAccess: new KnexProjectAccess(db),
  projects: new KnexProjects(db),
  workspaces: new KnexWorkspaces(db),
  tags: new KnexTags(db),
  tagBindings: new KnexTagBindings(db),
  variables: new KnexVariables(db),
  variableSets: new KnexVariableSets(db),
  setVariables: new KnexSetVariables(db),
  configurationVersions: new KnexConfigurationVersions(db),
  runs: new KnexRuns(db),
  runComments: new KnexRunComments(db),
  runLogs: new KnexRunLogs(db, (id) => noteChange(changed, id, 'log')),
  runArtifacts: new KnexRunArtifacts(db),
  stateVersions: new KnexStateVersions(db),
  stateOutputs: new KnexStateOutputs(db),
  policySets: new KnexPolicySets(db),
  policySetVersions: new KnexPolicySetVersions(db),
  policySetParameters: new KnexPolicySetParameters(db),
  policies: new KnexPolicies(db),
  runTasks: new KnexRunTasks(db),
  workspaceTasks: new KnexWorkspaceTasks(db),
  taskStages: new KnexTaskStages(db),
  taskResults: new KnexTaskResults(db),
  agentPools: new KnexAgentPools(db),
  agentTokens: new KnexAgentTokens(db),
  storedFiles: new KnexStoredFiles(db),
  keptBytes: new KnexKeptBytes(db),
  effects: new KnexEffects(db, (kind) => ordered.add(kind)),
  removals: new KnexRemovals(db),
  rowLocks: new KnexRowLocks(db),
  signingKeys: new KnexSigningKeys(db),
  requestRates: new KnexRequestRates(db),
  audit: new KnexAuditTrail(db, now, settlesInSeconds[engine], (id) => noteChange(changed, id, 'records')),
});

const sqliteSettings = [
  'journal_mode = WAL',
  // A commit is flushed before it is acknowledged; on macOS also out of the drive's own cache, as other systems always
  // do.
  'synchronous = FULL',
  'fullfsync = ON',
  // In bytes. Shrinks the log again after a long backup made it grow.
  'journal_size_limit = 67108864',
  'foreign_keys = ON',
];

/** Builds the text of statements, and has no connection. One for all, because what it has built is kept with it. */
const sqliteText = knex({ client: 'better-sqlite3', useNullAsDefault: true });

export interface SqliteOptions {
  /** How long a unit of work may wait for something outside the database, in milliseconds. */
  readonly longest?: number | undefined;
  /** The clock of recorded timestamps; by default the system's. */
  readonly now?: () => Instant;
  readonly onStatement?: OnStatement;
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
  const writing = new SqliteStatements(sqliteText, writer, options.onStatement);
  const commits = new GroupedCommits(writer, writing, options.longest);
  const database = onSqlite(commits, new SqliteStatements(sqliteText, reader, options.onStatement), options);
  return {
    ...database,
    migrate: () => migrate(sqliteConfig(file)),
    schema: () => schemaOf(sqliteConfig(file)),
    close: async () => {
      await database.close();
      reader.close();
      writer.close();
    },
  };
}

/** Serves a database that has no other connection, such as one in memory. Closing leaves the connection open. */
export function openOnConnection(connection: SqliteConnection, options: SqliteOptions = {}): MigratedDatabase {
  connection.exec('pragma foreign_keys = ON');
  const statements = new SqliteStatements(sqliteText, connection, options.onStatement);
  const commits = new GroupedCommits(connection, statements, options.longest);
  return onSqlite(commits, new ReadsBetweenCommits(statements, commits), options);
}

function onSqlite(commits: GroupedCommits, reading: Statements, { now = systemTime }: SqliteOptions): MigratedDatabase {
  const committed = transactionOn(reading, now, 'sqlite');
  let listeners: NewsListeners | undefined;
  return {
    unitOfWork: {
      run: async (work) => {
        const news = new News();
        const result = await withMappedFaults(commits.run((db) => work(transactionOn(db, now, 'sqlite', news))));
        if (listeners !== undefined) news.notify(listeners);
        return result;
      },
      read: (work) => withMappedFaults(work(committed)),
    },
    // Takes the lock for writing, and writes nothing.
    ping: () => withMappedFaults(commits.run(async () => undefined)),
    onChange: (given) => {
      listeners = given;
    },
    engine: async () => {
      const row = await reading.first<{ version: string }>({ sql: 'select sqlite_version() as version', bindings: [] });
      return `sqlite ${row?.version}`;
    },
    close: () => commits.settled(),
  };
}

const readOnlyQuery = `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`;

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
}

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
  }: PostgresOptions = {},
): KnexDatabase {
  const config = { ...postgresConfig(url, timeout), acquireConnectionTimeout: timeout };
  const pool = knex({
    ...config,
    connection: { ...(config.connection as object), pipeline: true } as Knex.PgConnectionConfig,
    pool: {
      min: 0,
      max: poolSize,
      afterCreate: (connection: pg.Client, done: (error: Error | null, connection: pg.Client) => void) => {
        limit(connection, silence === undefined ? {} : { silence }).then(
          () => done(null, connection),
          (error: Error) => done(error, connection),
        );
      },
    },
  });
  // Has no connection of its own, so that what it builds cannot run on the wrong one by mistake.
  const sql = knex({ client: 'pg' });
  const sender = new StatementSender(onStatement);
  const committed = transactionOn(new PostgresReads(sql, pool, sender), now, 'postgres');

  const answered = <Result>(work: Promise<Result>, refusal = refusalOf): Promise<Result> =>
    work.catch((error: unknown) => {
      throw refusal(error) ?? error;
    });

  let others: PostgresNews | undefined;
  const transact = <Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> =>
    onConnection(pool, async (connection) => {
      const db = new PostgresTransaction(sql, connection, sender);
      try {
        const began = performance.now();
        const news = new News();
        const result = await work(transactionOn(db, now, 'postgres', news));
        if (performance.now() - began > longest) throw tooLong();
        await db.commit();
        others?.publish(news);
        return result;
      } catch (error) {
        // If the rollback fails too, report the first error and do not reuse the connection.
        await db.rollback().catch((failure: unknown) => {
          connection.__knex__disposed = failure;
        });
        throw error;
      }
    });

  const ask = (): Promise<void> =>
    onConnection(pool, async (connection) => {
      const { rows } = await connection.query<{ read_only: boolean }>(readOnlyQuery);
      if (rows[0]?.read_only) throw Object.assign(new Error('the server accepts no writes'), { code: '25006' });
    });

  return {
    unitOfWork: {
      run: (work) => answered(transact(work), refusalOfWrite),
      read: (work) => answered(work(committed)),
    },
    migrate: () => answered(migrate({ ...config, pool: { min: 0, max: 1 } })),
    schema: () => answered(schemaOf({ ...config, pool: { min: 0, max: 1 } })),
    ping: async () => {
      const waiting = new AbortController();
      const late = pause(Math.min(pingTimeout, timeout), undefined, { signal: waiting.signal }).then(() => {
        throw new DomainError('service/unavailable', 'the database responds slowly');
      });
      try {
        await Promise.race([answered(ask()), late]);
      } finally {
        waiting.abort();
      }
    },
    onChange: (listeners) => {
      others = new PostgresNews(config.connection as pg.ClientConfig, listeners);
    },
    engine: async () => {
      const { rows } = await pool.raw<{ rows: { server_version: string }[] }>('show server_version');
      return `postgres ${rows[0]?.server_version.split(' ')[0]}`;
    },
    connections: () => {
      const { pool: made } = pool.client;
      return { inUse: made.numUsed(), idle: made.numFree(), waiting: made.numPendingAcquires() };
    },
    close: async () => {
      await others?.close();
      await pool.destroy();
    },
  };
}
