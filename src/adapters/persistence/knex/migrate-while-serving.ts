import { setTimeout as pause } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import type { PooledConnection } from './engine/postgres-faults.js';
import { LongSession } from './engine/postgres-sessions.js';
import { type Migrations, ownMigrations } from './migration-source.js';
import { lockWait } from './migrations/shared/lock-tables.js';
import { firstPending, schemaOf } from './schema.js';

/** A migration that was run, or what one waits for. */
export type Progress =
  | { readonly step: 'migrated'; readonly name: string; readonly milliseconds: number }
  | { readonly step: 'waits'; readonly name: string | undefined; readonly reason: string };

export type Report = (progress: Progress) => void;

export interface MigrateOptions {
  /** By default those of this release. */
  readonly migrations?: Migrations | undefined;
  readonly report?: Report | undefined;
}

/** Any number that nothing else in the database takes for a lock of its own. The release before has another. */
const migrating = 7_083_242;

/** In milliseconds. */
const betweenTries = 250;
/** As Postgres writes it. */
const heardWithin = '30s';
const reportedEvery = 10_000;

/** Whether a migration waited for a lock in vain, and may run again. Knex hides the code when its own lock is taken. */
const isLockFault = ({ code = '', name = '' }: { readonly code?: string; readonly name?: string }): boolean =>
  ['55P03', '40P01', 'MigrationLocked'].includes(code || name);

/** A statement may take long. The server ends the session of a process that it lost. */
const settings = `set lock_timeout = '${lockWait}'; set statement_timeout = 0; set idle_in_transaction_session_timeout = '${heardWithin}'`;

/**
 * Runs the pending migrations of a Postgres one by one, each in a transaction of its own unless it says otherwise. Without
 * any, it takes no lock: a process that lost its network may still hold that.
 */
export async function migrateWhileServing(config: Knex.Config, options: MigrateOptions): Promise<void> {
  const next = async () => firstPending(await schemaOf(config, options.migrations));
  if ((await next()) === undefined) return;
  const waits = reporter(options);
  const lock = await Lock.take(config, () => waits(undefined, 'another process migrates the database'));
  const database = knex({
    ...config,
    pool: {
      min: 0,
      max: 1,
      afterCreate: (connection: PooledConnection, done: (error: Error | null, connection: pg.Client) => void) => {
        // A migration may take hours without a word: the session of the lock finds out that the server has gone.
        lock.lost.catch((reason: Error) => connection.connection.stream.destroy(reason));
        connection.query(settings).then(
          () => done(null, connection),
          (error: Error) => done(error, connection),
        );
      },
    },
  });
  try {
    await Promise.race([runPending(database, next, lock, options, waits), lock.lost]);
  } finally {
    await database.destroy();
    await lock.release();
  }
}

async function runPending(
  database: Knex,
  next: () => Promise<string | undefined>,
  lock: Lock,
  { migrations = ownMigrations, report }: MigrateOptions,
  waits: (name: string, reason: string) => void,
): Promise<void> {
  const config = { migrationSource: migrations.source };
  let began = performance.now();
  for (;;) {
    const name = await next();
    if (name === undefined) return;
    await lock.expectHeld();
    try {
      // Knex's own lock is a row, which a process that died leaves taken.
      await database.migrate.forceFreeMigrationsLock(config);
      await database.migrate.up(config);
    } catch (error) {
      if (!isLockFault(error as Error)) throw error;
      waits(name, 'other transactions use its tables');
      await pause(betweenTries);
      continue;
    }
    report?.({ step: 'migrated', name, milliseconds: Math.round(performance.now() - began) });
    began = performance.now();
  }
}

/** Reports the first wait, and then one at a time. */
function reporter({ report }: MigrateOptions): (name: string | undefined, reason: string) => void {
  let last: number | undefined;
  return (name, reason) => {
    if (last !== undefined && performance.now() - last < reportedEvery) return;
    last = performance.now();
    report?.({ step: 'waits', name, reason });
  };
}

/**
 * Excludes other processes that migrate. It belongs to a session without a transaction, and is tried again and again: an index that
 * is built concurrently would wait for a transaction that waits for the lock.
 */
class Lock {
  private constructor(
    private readonly session: LongSession,
    /** Rejects when the session has ended, and the lock with it. */
    readonly lost: Promise<never>,
  ) {}

  static async take(config: Knex.Config, onWait: () => void): Promise<Lock> {
    const client = new pg.Client(config.connection as pg.ClientConfig);
    const lost = new Promise<never>((_, reject) => client.on('error', reject));
    // The next statement reports it.
    lost.catch(() => undefined);
    await client.connect();
    const session = new LongSession(client);
    try {
      // The server then ends the session, and with it the lock, of a process that it lost.
      await session.query(`set idle_session_timeout = '${heardWithin}'`);
      for (;;) {
        const { rows } = await session.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
          migrating,
        ]);
        if (rows[0]?.taken) return new Lock(session, lost);
        onWait();
        await pause(betweenTries);
      }
    } catch (error) {
      await session.end();
      throw error;
    }
  }

  /** Rejects if the session ended, and the lock with it. */
  async expectHeld(): Promise<void> {
    await this.session.query('select 1');
  }

  release(): Promise<void> {
    return this.session.end();
  }
}
