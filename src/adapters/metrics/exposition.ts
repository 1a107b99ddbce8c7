import { setTimeout as pause } from 'node:timers/promises';
import type { Counter, Registry } from 'prom-client';
import type { Stock } from '../../application/background/take-stock.js';
import type { Meters } from './meters.js';
import { type Metric, Reading } from './tallies.js';

/** Connections to Postgres. */
export interface Connections {
  readonly inUse: number;
  readonly idle: number;
  /** Units of work that wait for one. */
  readonly waiting: number;
}

export interface ExpositionOptions {
  readonly meters: Meters;
  readonly takeStock: () => Promise<Stock>;
  readonly version: string;
  /** How many bytes an organization may keep; 0 for no limit. */
  readonly mostBytes: number;
  /** `sqlite` or `postgres`. */
  readonly database: string;
  /** Undefined where there is no pool. */
  readonly connections?: (() => Connections) | undefined;
  /** Whether to tell of memory, processor time, garbage collection and such as well: these are watched from the first scrape on. */
  readonly ofProcess: boolean;
  /** In milliseconds, and never going back. */
  readonly now?: () => number;
  /** How long a scrape waits for the database, in milliseconds. */
  readonly patience?: number;
}

/** How old what was read of the database may be, in milliseconds. */
const stockAge = 5_000;

/** All that is told to Prometheus, in its text format. */
export class Exposition {
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';
  /** All but those of the process. */
  readonly metrics: readonly Metric[];
  private readonly takeStock: () => Promise<Stock>;
  private readonly ofProcess: boolean;
  private readonly now: () => number;
  private readonly patience: number;
  /** Undefined while the database does not tell. */
  private stock: Stock | undefined;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | undefined;
  /** The oldest due effect of each lane, and since when it has been seen to be that. */
  private oldest = new Map<string, { readonly id: number; readonly since: number }>();
  private registry: Promise<Registry> | undefined;

  constructor({
    meters,
    takeStock,
    version,
    mostBytes,
    database,
    connections,
    ofProcess,
    now,
    patience,
  }: ExpositionOptions) {
    this.takeStock = takeStock;
    this.ofProcess = ofProcess;
    this.now = now ?? (() => performance.now());
    this.patience = patience ?? 2_000;
    this.metrics = [
      ...meters.all,
      ...this.stockReadings(),
      byteLimit(mostBytes),
      ...poolReadings(connections),
      built(version, database),
    ];
  }

  /** While the database is away, what is read of it is missing, and all else is told. */
  async text(): Promise<string> {
    await this.look();
    this.registry ??= this.open();
    return (await this.registry).metrics();
  }

  /** The client library is loaded here, so that a start does not wait for it. */
  private async open(): Promise<Registry> {
    const { collectDefaultMetrics, Registry } = await import('prom-client');
    const registry = new Registry();
    for (const metric of this.metrics) {
      const { name, help, type } = metric;
      // All that the registry asks of a metric, which its types do not say.
      const scraped = { name, get: async () => ({ name, help, type, aggregator: 'sum', values: metric.samples() }) };
      registry.registerMetric(scraped as unknown as Counter);
    }
    if (this.ofProcess) collectDefaultMetrics({ register: registry });
    return registry;
  }

  /** Asks the database, unless it was asked a moment ago, and does not wait for long. */
  private async look(): Promise<void> {
    if (this.now() < this.lookedAt + stockAge) return;
    this.looking ??= this.takeStock()
      .then(
        (stock) => this.seen(stock),
        () => this.seen(undefined),
      )
      .finally(() => {
        this.looking = undefined;
      });
    const answered = new AbortController();
    const late = pause(this.patience, undefined, { signal: answered.signal }).then(
      () => {
        this.stock = undefined;
      },
      () => undefined,
    );
    await Promise.race([this.looking, late]);
    answered.abort();
  }

  private seen(stock: Stock | undefined): void {
    this.stock = stock;
    this.lookedAt = this.now();
    // What was seen before is still there, as far as anybody knows.
    if (stock === undefined) return;
    const due = stock.effects.filter(({ state }) => state === 'due');
    const before = this.oldest;
    this.oldest = new Map();
    for (const [lane, effects = []] of Object.entries(Object.groupBy(due, (effect) => effect.lane))) {
      const id = Math.min(...effects.map(({ oldest }) => oldest));
      const known = before.get(lane);
      this.oldest.set(lane, known?.id === id ? known : { id, since: this.lookedAt });
    }
  }

  private stockReadings(): readonly Metric[] {
    const stock = () => this.stock;
    return [
      new Reading(
        {
          name: 'gatehouse_database_up',
          help: 'Whether the database told what is read of it for the metrics of effects waiting, runs and team tokens: 1 or 0.',
          labelNames: [],
        },
        () => [{ labels: {}, value: stock() === undefined ? 0 : 1 }],
      ),
      new Reading(
        {
          name: 'gatehouse_effects_waiting',
          help: 'Ordered work, by lane and state: due, in-hand, later (ordered for a time to come) or failing (waiting to be tried again). The oldest 10 000.',
          labelNames: ['lane', 'state'],
        },
        () => {
          const groups = Object.groupBy(stock()?.effects ?? [], ({ lane, state }) => `${lane} ${state}`);
          return Object.values(groups).flatMap((effects = []) => {
            const [first] = effects;
            if (first === undefined) return [];
            const { lane, state } = first;
            return { labels: { lane, state }, value: effects.reduce((sum, { count }) => sum + count, 0) };
          });
        },
      ),
      new Reading(
        {
          name: 'gatehouse_effects_oldest_due_seconds',
          help: 'For how long this instance has seen the same effect to be the oldest due one of its lane, from scrape to scrape.',
          labelNames: ['lane'],
        },
        () =>
          this.stock === undefined
            ? []
            : Array.from(this.oldest, ([lane, { since }]) => ({
                labels: { lane },
                value: (this.lookedAt - since) / 1000,
              })),
      ),
      new Reading(
        {
          name: 'gatehouse_runs_waiting',
          help: 'Runs by status: pending and confirmed ones wait for their workspace, plan_queued and apply_queued ones for an agent. At most 10 000 of each two.',
          labelNames: ['status'],
        },
        () => Array.from(stock()?.runs ?? [], ([status, value]) => ({ labels: { status }, value })),
      ),
      new Reading(
        {
          name: 'gatehouse_team_tokens',
          help: 'Tokens of teams by state: expiring (within seven days), or expired and still listed. At most 10 000.',
          labelNames: ['state'],
        },
        () => Object.entries(stock()?.teamTokens ?? {}).map(([state, value]) => ({ labels: { state }, value })),
      ),
      new Reading(
        {
          name: 'gatehouse_organization_bytes',
          help: 'Bytes that an organization keeps: archives, states, what plans leave, policy code. The 100 organizations that keep the most.',
          labelNames: ['organization'],
        },
        () =>
          (stock()?.organizations ?? []).map(({ name, bytes }) => ({ labels: { organization: name }, value: bytes })),
      ),
    ];
  }
}

function poolReadings(connections: (() => Connections) | undefined): readonly Metric[] {
  return [
    new Reading(
      {
        name: 'gatehouse_database_connections',
        help: 'Connections to Postgres, by state: in-use or idle. Missing with SQLite.',
        labelNames: ['state'],
      },
      () => {
        const now = connections?.();
        if (now === undefined) return [];
        return [
          { labels: { state: 'in-use' }, value: now.inUse },
          { labels: { state: 'idle' }, value: now.idle },
        ];
      },
    ),
    new Reading(
      {
        name: 'gatehouse_database_connections_awaited',
        help: 'Units of work that wait for a connection to Postgres. Missing with SQLite.',
        labelNames: [],
      },
      () => {
        const now = connections?.();
        return now === undefined ? [] : [{ labels: {}, value: now.waiting }];
      },
    ),
  ];
}

const byteLimit = (mostBytes: number): Metric =>
  new Reading(
    {
      name: 'gatehouse_organization_bytes_limit',
      help: 'Bytes that each organization may keep (MAX_ORGANIZATION_BYTES). Missing without a limit.',
      labelNames: [],
    },
    () => (mostBytes === 0 ? [] : [{ labels: {}, value: mostBytes }]),
  );

const built = (version: string, database: string): Metric =>
  new Reading(
    {
      name: 'gatehouse_build_info',
      help: 'What runs, in labels; always 1.',
      labelNames: ['version', 'node', 'database'],
    },
    () => [{ labels: { version, node: process.versions.node, database }, value: 1 }],
  );
