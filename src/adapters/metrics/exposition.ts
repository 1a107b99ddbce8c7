import { setTimeout as pause } from 'node:timers/promises';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import type { Snapshot } from '../../application/background/take-snapshot.js';
import type { Meters } from './meters.js';

/** Connections to Postgres. */
export interface Connections {
  readonly inUse: number;
  readonly idle: number;
  /** Units of work that wait for one. */
  readonly waiting: number;
}

export interface ExpositionOptions {
  readonly meters: Meters;
  readonly takeSnapshot: () => Promise<Snapshot>;
  readonly version: string;
  /** How many bytes an organization may keep; 0 for no limit. */
  readonly maxBytes: number;
  /** `sqlite` or `postgres`. */
  readonly database: string;
  /** Undefined where there is no pool. */
  readonly connections?: (() => Connections) | undefined;
  /** The number of streams of changes that are open. */
  readonly streams: () => number;
  /** Whether the database serves reads and accepts no writes. Rejects while it does not respond. */
  readonly readOnly: () => Promise<boolean>;
  /** The bytes that request bodies and unread responses take. */
  readonly memory: () => number;
  /**
   * Whether to export memory, CPU time, garbage collection and other process metrics, collected from the first scrape
   * on.
   */
  readonly ofProcess: boolean;
  /** In milliseconds, and monotonic. */
  readonly now?: () => number;
  /** How long a scrape waits for the database, in milliseconds. */
  readonly timeout?: number;
}

/** The maximum age of values read from the database, in milliseconds. */
const stockAge = 5_000;

/** A metric as documented; the client's types leave the labels out. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

/** One line of a metric. */
type Sample<Label extends string> = readonly [labels: Readonly<Record<Label, string>>, value: number];

/** All metrics, in the text format of Prometheus. */
export class Exposition {
  readonly contentType: string;
  private readonly registry: Meters['registry'];
  private readonly takeSnapshot: () => Promise<Snapshot>;
  private readonly readOnly: () => Promise<boolean>;
  private ofProcess: boolean;
  private readonly now: () => number;
  private readonly timeout: number;
  /** Undefined while the database does not respond. */
  private snapshot: Snapshot | undefined;
  private isReadOnly: boolean | undefined;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | undefined;
  /** The oldest due effect of each lane, and the time since which it has been the oldest. */
  private oldest = new Map<string, { readonly id: number; readonly since: number }>();

  constructor(options: ExpositionOptions) {
    this.registry = options.meters.registry;
    this.contentType = this.registry.contentType;
    this.takeSnapshot = options.takeSnapshot;
    this.readOnly = options.readOnly;
    this.ofProcess = options.ofProcess;
    this.now = options.now ?? (() => performance.now());
    this.timeout = options.timeout ?? 2_000;
    this.readStock();
    this.readRemovals();
    this.readEnvironment(options);
  }

  /** All metrics but those of the process. */
  get metrics(): readonly Metric[] {
    return this.registry.getMetricsAsArray() as unknown as readonly Metric[];
  }

  /** While the database is unavailable, the values read from it are missing and all others are exported. */
  async text(): Promise<string> {
    await this.look();
    if (this.ofProcess) collectDefaultMetrics({ register: this.registry });
    this.ofProcess = false;
    return this.registry.metrics();
  }

  /** Reads the database, unless it was read a moment ago, and does not wait for long. */
  private async look(): Promise<void> {
    if (this.now() < this.lookedAt + stockAge) return;
    const unknown = () => undefined;
    this.looking ??= Promise.all([this.takeSnapshot().catch(unknown), this.readOnly().catch(unknown)])
      .then(([snapshot, isReadOnly]) => this.seen(snapshot, isReadOnly))
      .finally(() => {
        this.looking = undefined;
      });
    const answered = new AbortController();
    const late = pause(this.timeout, undefined, { signal: answered.signal }).then(
      () => {
        this.snapshot = undefined;
        this.isReadOnly = undefined;
      },
      () => undefined,
    );
    await Promise.race([this.looking, late]);
    answered.abort();
  }

  private seen(snapshot: Snapshot | undefined, isReadOnly: boolean | undefined): void {
    this.snapshot = snapshot;
    this.isReadOnly = isReadOnly;
    this.lookedAt = this.now();
    // Without a new answer, keep what was seen before: it may still be there.
    if (snapshot === undefined) return;
    const due = snapshot.effects.filter(({ state }) => state === 'due');
    const before = this.oldest;
    this.oldest = new Map();
    for (const [lane, effects = []] of Object.entries(Object.groupBy(due, (effect) => effect.lane))) {
      const id = Math.min(...effects.map(({ oldest }) => oldest));
      const known = before.get(lane);
      this.oldest.set(lane, known?.id === id ? known : { id, since: this.lookedAt });
    }
  }

  /** A gauge that is computed when it is read; without samples it has no line. */
  private reading<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    samples: () => Iterable<Sample<Label>>,
  ): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        this.reset();
        // After a reset, a gauge without labels is 0.
        this.remove({});
        for (const [labels, value] of samples()) this.set(labels, value);
      },
    });
  }

  private readStock(): void {
    this.reading(
      'gatehouse_database_up',
      '1 if the database could be read for the metrics of effects, runs and team tokens, otherwise 0.',
      [],
      () => [[{}, this.snapshot === undefined ? 0 : 1]],
    );
    this.reading(
      'gatehouse_database_read_only',
      '1 while the database serves reads and accepts no writes, otherwise 0. Absent while it does not respond.',
      [],
      () => (this.isReadOnly === undefined ? [] : [[{}, Number(this.isReadOnly)]]),
    );
    this.reading(
      'gatehouse_effects_waiting',
      'Background jobs by lane and state: due, in-hand (running), later (scheduled), failing (waiting for a retry) or aside (waiting for an operator). Counts the oldest 10 000.',
      ['lane', 'state'],
      () => {
        const groups = Object.groupBy(this.snapshot?.effects ?? [], ({ lane, state }) => `${lane} ${state}`);
        return Object.values(groups).flatMap((effects = []) => {
          const [first] = effects;
          if (first === undefined) return [];
          const { lane, state } = first;
          return [[{ lane, state }, effects.reduce((sum, { count }) => sum + count, 0)] as const];
        });
      },
    );
    this.reading(
      'gatehouse_effects_oldest_due_seconds',
      'Seconds for which the same background job has been the oldest due one of its lane, as seen by this instance from scrape to scrape.',
      ['lane'],
      () =>
        this.snapshot === undefined
          ? []
          : Array.from(this.oldest, ([lane, { since }]) => [{ lane }, (this.lookedAt - since) / 1000] as const),
    );
    this.reading(
      'gatehouse_runs_waiting',
      'Waiting runs by status: pending and confirmed runs wait for their workspace, plan_queued and apply_queued runs for an agent. Each pair counts at most 10 000.',
      ['status'],
      () => Array.from(this.snapshot?.runs ?? [], ([status, value]) => [{ status }, value] as const),
    );
    this.reading(
      'gatehouse_team_tokens',
      'Team tokens by state: expiring (within seven days), or expired but not revoked. Counts at most 10 000.',
      ['state'],
      () => Object.entries(this.snapshot?.teamTokens ?? {}).map(([state, value]) => [{ state }, value] as const),
    );
    this.reading(
      'gatehouse_organization_bytes',
      'Bytes stored by an organization: archives, states, plan artifacts and policy code. Only the 100 largest organizations.',
      ['organization'],
      () => (this.snapshot?.organizations ?? []).map(({ name, bytes }) => [{ organization: name }, bytes] as const),
    );
  }

  private readRemovals(): void {
    this.reading(
      'gatehouse_workspaces_to_remove',
      'Workspaces left in deleted organizations, whose data is being removed. Counts at most 10 000.',
      [],
      () => (this.snapshot === undefined ? [] : [[{}, this.snapshot.workspacesToRemove]]),
    );
  }

  private readEnvironment({ maxBytes, connections, streams, memory, version, database }: ExpositionOptions): void {
    this.reading(
      'gatehouse_memory_reserved_bytes',
      'Memory reserved for request bodies and for responses that clients have not read.',
      [],
      () => [[{}, memory()]],
    );
    this.reading('gatehouse_change_streams_open', 'Open streams of changes.', [], () => [[{}, streams()]]);
    this.reading(
      'gatehouse_organization_bytes_limit',
      'Bytes that each organization may store (MAX_ORGANIZATION_BYTES). Absent without a limit.',
      [],
      () => (maxBytes === 0 ? [] : [[{}, maxBytes]]),
    );
    this.reading(
      'gatehouse_database_connections',
      'Postgres connections by state: in-use or idle. Absent with SQLite.',
      ['state'],
      () => {
        const now = connections?.();
        if (now === undefined) return [];
        return [
          [{ state: 'in-use' }, now.inUse],
          [{ state: 'idle' }, now.idle],
        ];
      },
    );
    this.reading(
      'gatehouse_database_connections_awaited',
      'Transactions waiting for a Postgres connection. Absent with SQLite.',
      [],
      () => {
        const now = connections?.();
        return now === undefined ? [] : [[{}, now.waiting]];
      },
    );
    this.reading(
      'gatehouse_build_info',
      'Build information in labels. Always 1.',
      ['version', 'node', 'database'],
      () => [[{ version, node: process.versions.node, database }, 1]],
    );
  }
}
