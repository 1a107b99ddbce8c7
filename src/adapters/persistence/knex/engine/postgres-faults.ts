import type { Knex } from 'knex';
import type pg from 'pg';
import { DomainError, isDomainError } from '../../../../domain/index.js';
import { stale } from './statements.js';

const waitedForLock = '55P03';

/** Postgres's codes for a transaction that lost against another one and may succeed when retried. */
const lost: readonly string[] = [
  '40P01', // deadlock
  '40001', // serialization failure; on a replica, a read that was canceled to apply a change
  waitedForLock,
  '23503', // the row it refers to was removed meanwhile
];

const noConnection = 'the database has no free connection';

/** The codes of Postgres, the network and Knex when the database is unavailable, by the sentence that callers receive. */
const unavailable: Readonly<Record<string, readonly string[]>> = {
  'the database is read-only': ['25006'],
  [noConnection]: [
    '53300', // too many connections
    'KnexTimeoutError', // the pool of this process is in use
  ],
  'the database did not finish in time': [
    '25P03', // the transaction was idle for too long
    '57014', // the statement took too long
    ...lost,
  ],
  'the database does not respond': [
    '3D000', // no such database
    '53200', // out of memory
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
  ],
};

const sentences = new Map(
  Object.entries(unavailable).flatMap(([sentence, codes]) => codes.map((code) => [code, sentence])),
);

const away = (sentence: string, cause?: unknown) => new DomainError('service/unavailable', sentence, {}, cause);

export const noFreeConnection = (): DomainError => away(noConnection);

const doesNotRespond = 'the database does not respond';
const diskFull = '53100';

/** The driver gives no codes for connections that ended or timed out; Knex puts the statement before the message. */
const endedConnection = /(?:^| - )(?:Connection terminated|Client has encountered a connection error|timeout expired)/;

interface Fault {
  readonly code?: string;
  readonly name?: string;
  readonly message?: string;
  readonly severity?: string;
}

/** Undefined for a fault of this service. Class 08 is of connections, 28 of logins; the server ends a connection with FATAL. */
function sentenceOf({ code = '', name = '', message = '', severity }: Fault): string | undefined {
  const sentence = sentences.get(code) ?? sentences.get(name);
  if (sentence !== undefined) return sentence;
  const away = severity === 'FATAL' || /^(?:08|28)...$/.test(code) || endedConnection.test(message);
  return away ? doesNotRespond : undefined;
}

/**
 * The refusal that stands for a failure of the database; undefined for a fault of this service. A read or a health check
 * is never a stale revision: it changes nothing.
 */
export function refusalOf(error: unknown): DomainError | undefined {
  if (isDomainError(error)) return undefined;
  if ((error as Fault).code === diskFull) {
    return new DomainError('service/storage-full', "the database's disk is full", {}, error);
  }
  const sentence = sentenceOf(error as Fault);
  return sentence === undefined ? undefined : away(sentence, error);
}

/**
 * The refusal for a transaction that writes, which is retried after a stale revision. If a connection is lost during a
 * commit, the outcome is unknown: that is `service/unavailable`, after which callers check.
 */
export const refusalOfWrite = (error: unknown): DomainError | undefined =>
  lost.includes((error as Fault).code ?? '') ? stale('a concurrent change caused a conflict') : refusalOf(error);

export type PooledConnection = pg.Client & {
  /** Knex's pool does not reuse a connection with this mark. */
  __knex__disposed?: unknown;
  /** Whether a pooler may give its server session to another client between transactions. */
  pooled?: boolean;
};

/** The refusal for a read that waited for a lock too long: it changes nothing, so it is not in conflict. */
export const refusalOfRead = (error: unknown): DomainError | undefined =>
  (error as Fault).code === waitedForLock ? refusalOf(error) : undefined;

/**
 * Runs `work` on a connection of the pool. Without a connection, the database is unavailable, whatever the reason. A
 * connection to a server that became read-only is closed, because the next one may reach the new primary.
 */
export async function onConnection<Result>(
  pool: Knex,
  work: (connection: PooledConnection) => Promise<Result>,
): Promise<Result> {
  const connection: PooledConnection = await pool.client.acquireConnection().catch((error: unknown) => {
    throw refusalOf(error) ?? away(doesNotRespond, error);
  });
  try {
    return await work(connection);
  } catch (error) {
    if (isReadOnly(error)) connection.__knex__disposed = error;
    throw error;
  } finally {
    await pool.client.releaseConnection(connection);
  }
}

const isReadOnly = (error: unknown): boolean => (error as Fault).code === '25006';
