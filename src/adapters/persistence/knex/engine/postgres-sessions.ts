import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { PooledConnection } from './postgres-faults.js';

/** The operator's word on poolers: `transaction` means that one shares sessions between transactions, `auto` finds out. */
export type Pooling = 'auto' | 'none' | 'transaction';

/** In milliseconds. Longer than any timeout of the server: a connection that receives nothing for so long is cut. */
const usualSilence = 20_000;

/**
 * Timeouts keep one hanging statement from blocking the others. Plans are kept, and neither compiled nor run by other
 * processes: starting those takes 20 ms, for statements that take one.
 */
const settings = {
  lock_timeout: '5s',
  statement_timeout: '15s',
  idle_in_transaction_session_timeout: '15s',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
} as const;

/** Those that also protect reads outside of transactions. Behind a pooler only the role can have them. */
export const roleSettings = ['lock_timeout', 'statement_timeout', 'jit', 'max_parallel_workers_per_gather'] as const;

export const wantedOfRole = (name: (typeof roleSettings)[number]): string => settings[name];

const wanted = Object.entries(settings);
const begin = 'BEGIN';
const beginPooled = [begin, ...wanted.map(([name, value]) => `set local ${name} = '${value}'`)].join('; ');

/** Begins a transaction. One on a pooled connection brings its settings, which end with it. */
export const beginOn = ({ pooled }: PooledConnection): string => (pooled ? beginPooled : begin);

/**
 * Begins a transaction of which all statements see one moment, and which may be idle for `silence` milliseconds. Behind a
 * pooler, too, these are its own settings.
 */
export const beginSnapshot = (silence: number): string =>
  [
    'begin isolation level repeatable read read only',
    ...Object.entries({ ...settings, idle_in_transaction_session_timeout: `${silence}ms` }).map(
      ([name, value]) => `set local ${name} = '${value}'`,
    ),
  ].join('; ');

/** The number of the server's process that the connection received. A pooler sends one of its own, for cancellations. */
const processOf = (connection: pg.Client): number =>
  Number((connection as unknown as { readonly processID: number | null }).processID ?? 0);

const keepSettings = wanted.map(([name, value]) => `set_config('${name}', '${value}', pooled)`).join(', ');

/** Cuts the connection once it receives nothing for `silence` milliseconds. A server that went away may leave it open. */
export function cutWhenSilent(client: pg.Client, silence = usualSilence): void {
  const stream = (client as PooledConnection).connection.stream as Socket;
  stream.setTimeout(silence, () => {
    stream.destroy(Object.assign(new Error(`no response for ${silence} ms`), { code: 'ETIMEDOUT' }));
  });
}

/**
 * Statements of a session that is idle for long, one after the other. The server is asked regularly whether it is there, so that
 * the connection is cut once it is silent, as `cutWhenSilent` says.
 */
export class LongSession {
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: pg.Client,
    silence = usualSilence,
  ) {
    cutWhenSilent(client, silence);
    const beat = setInterval(() => this.query('select 1').catch(() => undefined), silence / 4).unref();
    client.once('end', () => clearInterval(beat));
  }

  query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult<Row>> {
    const result = this.last.then(() => this.client.query<Row>(text, [...values]));
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Waits for a server that is silent as long as every statement does. */
  async end(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}

/** Prepares a connection for the pool. Other clients of a pooler would inherit settings of a session. */
export async function prepareConnection(
  connection: PooledConnection,
  { pooling, silence }: { readonly pooling: Pooling; readonly silence?: number | undefined },
): Promise<void> {
  cutWhenSilent(connection, silence);
  connection.pooled = pooling === 'transaction';
  if (connection.pooled) return;
  // A setting that is local to this statement's transaction has no effect.
  const isPooled = pooling === 'none' ? 'false' : `pg_backend_pid() <> ${processOf(connection)}`;
  const { rows } = await connection.query(`select pooled, ${keepSettings} from (select ${isPooled} as pooled) asked`);
  connection.pooled = rows[0].pooled;
}

/** Runs `work`, whose statements are short, on a connection of its own. */
export async function onClient<Result>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(config);
  // The statement that waits for the connection reports it.
  client.on('error', () => undefined);
  await client.connect();
  cutWhenSilent(client);
  return work(client).finally(() => client.end().catch(() => undefined));
}

const channel = 'gatehouse_session';
const notifiedWithin = 2_000;

/** How the server's session belongs to a client: to it alone, through a pooler until it disconnects, or to many. */
export type SessionKind = 'own' | 'lent' | 'shared';

/** Whether no pooler stands between the client and the server. */
export async function isDirect(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  return Number(rows[0].pid) === processOf(client);
}

/**
 * Finds out the kind by what counts for locks and notifications: between two statements, a client is notified only if
 * the server's session is still its own. Without an answer in time it is `shared`, which is safe.
 */
export async function sessionKind(client: pg.Client, config: pg.ClientConfig): Promise<SessionKind> {
  if (await isDirect(client)) return 'own';
  const other = new pg.Client(config);
  other.on('error', () => undefined);
  // Another process may ask the same question over the same session.
  const mine = randomUUID();
  const notified = new Promise<SessionKind>((resolve) => {
    client.on('notification', ({ payload }) => {
      if (payload === mine) resolve('lent');
    });
  });
  const asked = client
    .query(`listen ${channel}`)
    .then(() => other.connect())
    .then(() => other.query(`notify ${channel}, '${mine}'`))
    .then(() => notified);
  const waiting = new AbortController();
  const late = pause(notifiedWithin, undefined, { signal: waiting.signal }).catch(() => undefined);
  try {
    return await Promise.race([asked, late.then(() => 'shared' as const)]);
  } finally {
    waiting.abort();
    // A pooler may still let the other client wait for a connection.
    asked.catch(() => undefined);
    other.end().catch(() => undefined);
    await client.query(`unlisten ${channel}`).catch(() => undefined);
  }
}

/** As `sessionKind`, over connections of its own. Believes what the operator says. */
export async function sessionKindAt(config: pg.ClientConfig, pooling: Pooling): Promise<SessionKind> {
  if (pooling !== 'auto') return pooling === 'none' ? 'own' : 'shared';
  return onClient(config, (client) => sessionKind(client, config));
}
