import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type ChangeKind, noteChange } from '../../../application/ports/outside/changes.js';
import type { Effect } from '../../../application/ports/repositories/effect.js';
import type { WorkspaceId } from '../../../domain/index.js';
import { LongSession } from './engine/postgres-sessions.js';
import type { News, NewsListeners } from './news.js';

/** In milliseconds. */
const pauseBeforeReconnecting = 2_000;
const pauseBetweenPolls = 5_000;

/** Postgres takes less than 8,000 bytes. A longer list is replaced by none, which stands for anything. */
const longestPayload = 7_900;

/** Words that processes send each other. */
class Channel {
  readonly unsent = new Set<string>();
  sending = false;
  /** Whether words were lost since the connection was. */
  lost = false;

  constructor(
    readonly name: string,
    /** The least time between two notifications, in milliseconds. */
    readonly pause: number,
    /** Called with undefined where words may have been missed. */
    readonly listener: (words: readonly string[] | undefined) => void,
  ) {}

  payload(): string {
    const words = [...this.unsent].join(' ');
    this.unsent.clear();
    return words.length > longestPayload ? '' : words;
  }
}

const ofLog = ':log';

const wordOf = ([id, kind]: readonly [WorkspaceId, ChangeKind]): string => (kind === 'log' ? id + ofLog : id);

const changesFrom = (words: readonly string[]): ReadonlyMap<WorkspaceId, ChangeKind> => {
  const changes = new Map<WorkspaceId, ChangeKind>();
  for (const word of words) {
    if (word.endsWith(ofLog)) noteChange(changes, word.slice(0, -ofLog.length), 'log');
    else noteChange(changes, word, 'records');
  }
  return changes;
};

/**
 * Notifies this process and others on a database of ordered effects and changed workspaces, and receives their
 * notifications, over a connection of its own: a pooled one would be lost to requests. Notifications follow the commit:
 * Postgres commits transactions that notify only one at a time. Polling for due effects finds any that are lost while
 * the connection is down; a change is then reported as one of anything. Through a shared session of
 * a pooler nothing would arrive: both are then reported every few seconds instead.
 */
export class PostgresNews {
  private readonly orders: Channel;
  private readonly changes: Channel;
  private session: LongSession | undefined;
  private closed = false;
  private poll: NodeJS.Timeout | undefined;
  private reconnecting: NodeJS.Timeout | undefined;
  private connecting: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly listeners: NewsListeners,
    private readonly isShared: (client: pg.Client) => Promise<boolean>,
    /** In milliseconds; of the connection that listens, after which it is replaced. */
    private readonly silence?: number,
  ) {
    const { ordered, changed } = listeners;
    this.orders = new Channel('gatehouse_effects', 0, (words) =>
      ordered(words as readonly Effect['kind'][] | undefined),
    );
    // People watch changes, so that many of one moment may wait for each other.
    this.changes = new Channel('gatehouse_changes', 200, (words) => changed(words && changesFrom(words)));
    this.connecting = this.connect();
  }

  /** News that arrive together are sent together. */
  publish(news: News): void {
    news.notify(this.listeners);
    this.send(this.orders, news.ordered);
    this.send(this.changes, [...news.changed].map(wordOf));
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.reconnecting);
    clearInterval(this.poll);
    await this.connecting;
    await this.session?.end();
  }

  private send(channel: Channel, words: Iterable<string>): void {
    for (const word of words) channel.unsent.add(word);
    if (!channel.sending && channel.unsent.size > 0) void this.sendAll(channel);
  }

  private async sendAll(channel: Channel): Promise<void> {
    channel.sending = true;
    while (channel.unsent.size > 0 && this.session !== undefined) {
      await this.notify(this.session, channel, channel.payload());
      if (channel.pause > 0) await pause(channel.pause, undefined, { ref: false });
    }
    channel.lost ||= channel.unsent.size > 0;
    channel.unsent.clear();
    channel.sending = false;
  }

  private async notify(session: LongSession, channel: Channel, payload: string): Promise<void> {
    await session.query('select pg_notify($1, $2)', [channel.name, payload]).catch(() => {
      channel.lost = true;
    });
  }

  private async connect(): Promise<void> {
    const client = new pg.Client(this.config);
    const channels = [this.orders, this.changes];
    let lost = false;
    let self: number | undefined;
    const lose = () => {
      if (lost) return;
      lost = true;
      this.session = undefined;
      client.end().catch(() => undefined);
      if (this.closed) return;
      this.reconnecting = setTimeout(() => {
        this.connecting = this.connect();
      }, pauseBeforeReconnecting).unref();
    };
    client.on('error', lose).on('end', lose);
    client.on('notification', ({ processId, channel: name, payload = '' }) => {
      if (processId === self) return;
      channels.find((channel) => channel.name === name)?.listener(payload === '' ? undefined : payload.split(' '));
    });
    try {
      await client.connect();
      const session = new LongSession(client, this.silence);
      if (await this.isShared(client)) {
        if (!this.closed) this.pollInstead();
        lost = true;
        await client.end();
        return;
      }
      // The number that the client received may be a pooler's.
      self = (await session.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
      for (const { name } of channels) await session.query(`listen ${name}`);
      this.session = session;
      for (const channel of channels) {
        channel.listener(undefined);
        if (!channel.lost) continue;
        channel.lost = false;
        await this.notify(session, channel, '');
      }
    } catch {
      lose();
    }
  }

  private pollInstead(): void {
    this.poll = setInterval(() => {
      this.orders.listener(undefined);
      this.changes.listener(undefined);
    }, pauseBetweenPolls).unref();
  }
}
