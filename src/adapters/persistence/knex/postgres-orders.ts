import pg from 'pg';
import type { Effect } from '../../../application/ports/repositories/effect-outbox.js';

type Kind = Effect['kind'];

/** Called with the kinds that were ordered; with none where notifications may have been missed. */
export type HearOrders = (kinds: readonly Kind[] | undefined) => void;

const channel = 'gatehouse_effects';

/** In milliseconds. */
const pauseBeforeReconnecting = 2_000;

/**
 * Notifies other processes on a database that effects were ordered, and receives their notifications, over a connection
 * of its own: a pooled one would be lost to requests. Notifications follow the commit: Postgres commits transactions
 * that notify only one at a time. Polling for due effects finds any that are lost while the connection is down.
 */
export class PostgresOrders {
  private client: pg.Client | undefined;
  private untold = new Set<Kind>();
  private telling = false;
  private closed = false;
  private reconnecting: NodeJS.Timeout | undefined;
  private connecting: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly hear: HearOrders,
  ) {
    this.connecting = this.connect();
  }

  /** Orders that arrive together are sent together. */
  tell(kinds: Iterable<Kind>): void {
    for (const kind of kinds) this.untold.add(kind);
    if (!this.telling) void this.tellAll();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.reconnecting);
    await this.connecting;
    await this.client?.end().catch(() => undefined);
  }

  private async tellAll(): Promise<void> {
    this.telling = true;
    while (this.untold.size > 0 && this.client !== undefined) {
      const kinds = [...this.untold].join(' ');
      this.untold.clear();
      await this.client.query('select pg_notify($1, $2)', [channel, kinds]).catch(() => undefined);
    }
    this.untold.clear();
    this.telling = false;
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({ ...this.config, keepAlive: true });
    let lost = false;
    const lose = () => {
      if (lost) return;
      lost = true;
      this.client = undefined;
      client.end().catch(() => undefined);
      if (this.closed) return;
      this.reconnecting = setTimeout(() => {
        this.connecting = this.connect();
      }, pauseBeforeReconnecting).unref();
    };
    client.on('error', lose).on('end', lose);
    client.on('notification', ({ processId, payload = '' }) => {
      const own = processId === (client as unknown as { readonly processID: number }).processID;
      if (!own) this.hear(payload.split(' ') as Kind[]);
    });
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      this.client = client;
      this.hear(undefined);
    } catch {
      lose();
    }
  }
}
