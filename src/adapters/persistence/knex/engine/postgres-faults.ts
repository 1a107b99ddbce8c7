import type { Socket } from 'node:net';
import type pg from 'pg';
import { DomainError, isDomainError } from '../../../../domain/index.js';
import { stale } from './statements.js';

/** Postgres's codes for a transaction that lost against another one and may succeed when retried. */
const lost: readonly string[] = [
  '40P01', // deadlock
  '40001', // serialization failure
  '55P03', // waited for a lock too long
  '23503', // the row it refers to was removed meanwhile
];

/**
 * The codes of Postgres and the network when the database is unavailable; in addition to class 08, connections, and 28,
 * logins.
 */
const away: readonly string[] = [
  '3D000', // no such database
  '25006', // read-only: another server took over
  '25P03', // the transaction was idle for too long
  '53200', // out of memory
  '53300', // too many connections
  '57014', // the statement took too long
  '57P01', // shutting down
  '57P02', // crashed
  '57P03', // starting up
  '57P04', // the database was removed
  '57P05', // the session was idle for too long
  '58030', // disk failure
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
];

const diskFull = '53100';

/** The driver gives no codes for connections that ended or timed out; Knex puts the statement before the message. */
const endedConnection = /(?:^| - )(?:Connection terminated|Client has encountered a connection error|timeout expired)/;

/**
 * The refusal that stands for a failure of the database; undefined for a fault of this service. If a connection is lost
 * during a commit, the outcome is unknown: that is `service/unavailable`, after which callers check, and not a stale
 * revision, after which they retry.
 */
export function refusalOf(error: unknown): DomainError | undefined {
  if (isDomainError(error)) return undefined;
  const { code = '', name, message } = error as { code?: string; name?: string; message?: string };
  if (lost.includes(code)) return stale('a concurrent change caused a conflict');
  if (code === diskFull) return new DomainError('service/storage-full', "the database's disk is full", {}, error);
  const isAway =
    away.includes(code) ||
    /^(?:08|28)...$/.test(code) ||
    name === 'KnexTimeoutError' ||
    endedConnection.test(message ?? '');
  if (!isAway) return undefined;
  return new DomainError('service/unavailable', 'the database does not respond', {}, error);
}

/**
 * Timeouts in milliseconds, so that one hanging statement does not block the others. The server ends what it knows of;
 * a connection that receives nothing for `silence`, which is longer than any other, is cut.
 */
const timeouts = { lock: 5_000, statement: 15_000, idleInTransaction: 15_000, silence: 20_000 };

const limits = `set lock_timeout = ${timeouts.lock}; set statement_timeout = ${timeouts.statement};
  set idle_in_transaction_session_timeout = ${timeouts.idleInTransaction}; set plan_cache_mode = force_generic_plan`;

/** Prepares a connection for the pool. */
export async function limit(connection: pg.Client, { silence = timeouts.silence } = {}): Promise<void> {
  const stream = connection.connection.stream as Socket;
  stream.setTimeout(silence, () => {
    stream.destroy(Object.assign(new Error(`no response for ${silence} ms`), { code: 'ETIMEDOUT' }));
  });
  await connection.query(limits);
}
