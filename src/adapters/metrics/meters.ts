import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { lanes } from '../../application/index.js';
import { isDomainError, isRefusal } from '../../domain/index.js';

/** The route label of a request before its route is known, or without one. */
const unmatched = 'unmatched';

const otherMethod = '_OTHER';

/** In seconds. From a row read by its id to an upload over a slow connection. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/** The outcomes of uploads. Anything that is not a refusal is `failed`. */
const outcomes = ['taken', 'malformed', 'over-limit', 'interrupted', 'refused', 'failed'] as const;

type Outcome = (typeof outcomes)[number];

const outcomeOf = (error: unknown): Outcome => {
  if (!isDomainError(error)) return 'failed';
  if (error.code === 'organization/over-quota') return 'over-limit';
  const [area, word] = error.code.split('/');
  if (area === 'bundle') return word as Outcome;
  return isRefusal(error) ? 'refused' : 'failed';
};

const limits = ['caller', 'capability', 'page', 'scrape', 'webhook', 'forge'] as const;

const shortages = ['caller', 'unauthenticated', 'whole', 'unread'] as const;
const latenesses = ['silent', 'slow'] as const;

/** How long one kind of work took, and how often it failed. */
export class Work {
  constructor(
    private readonly duration: Histogram.Internal<string>,
    private readonly failures: Counter.Internal,
  ) {}

  /**
   * Returns `result` and observes its end; `begun` is from `performance.now()`. `failed` decides which errors are
   * faults; by default, all that are not refusals.
   */
  measure<Result>(
    begun: number,
    result: Promise<Result>,
    failed: (error: unknown) => boolean = isFault,
  ): Promise<Result> {
    // Not awaited: the caller must not wait for the measurement.
    void result.then(
      () => this.duration.observe((performance.now() - begun) / 1000),
      (error: unknown) => {
        this.duration.observe((performance.now() - begun) / 1000);
        if (failed(error)) this.failures.inc();
      },
    );
    return result;
  }
}

/** By the one label's value; 0 from the start. */
function worksOf<Label extends string, Kind extends string>(
  label: Label,
  kinds: readonly Kind[],
  durations: Histogram<Label>,
  failures: Counter<Label>,
): Readonly<Record<Kind, Work>> {
  const works = kinds.map((kind) => {
    const labels = { [label]: kind } as Record<Label, Kind>;
    durations.zero(labels);
    failures.inc(labels, 0);
    return [kind, new Work(durations.labels(labels), failures.labels(labels))] as const;
  });
  return Object.fromEntries(works) as Record<Kind, Work>;
}

const isFault = (error: unknown): boolean => !isRefusal(error);

/** The metrics that the service collects as it works, from its start on. */
export class Meters {
  readonly registry = new Registry();
  private readonly requests = this.counter(
    'gatehouse_http_requests_total',
    'Requests by method, route pattern and status. Status 499 means that the client disconnected before the end of the response.',
    'method',
    'route',
    'status',
  );
  private readonly requestDurations = this.durations(
    'gatehouse_http_request_duration_seconds',
    'Time from the head of a request to the end of its response. Uploads, downloads, streams of changes and agents polling for a run take as long as their clients make them take.',
    'method',
    'route',
  );
  private readonly requestsInFlight = this.gauge('gatehouse_http_requests_in_flight', 'Requests in progress.');
  private readonly limited = this.counter(
    'gatehouse_rate_limited_requests_total',
    'Requests rejected with 429, by rate limit.',
    'limit',
  );
  private readonly memoryRefusals = this.counter(
    'gatehouse_memory_refusals_total',
    'Requests and responses refused for want of memory. Caller: the share of the user, team, token or address is used up. Unauthenticated: that of requests without a valid token. Whole: that of the instance. Unread: a response was cut that its client did not read.',
    'reason',
  );
  private readonly lateBodies = this.counter(
    'gatehouse_late_bodies_total',
    'Request bodies given up with 408. Silent: no byte came in time. Slow: below the minimum speed, or longer than a minute.',
    'reason',
  );
  private readonly uploads = this.counter(
    'gatehouse_uploads_total',
    'Uploads by result. Refused: the version or the URL does not accept an upload. Interrupted: the client disconnected or was too slow. Failed: the service or one of its dependencies failed.',
    'outcome',
  );
  private readonly uploadsInFlight = this.gauge('gatehouse_uploads_in_flight', 'Uploads in progress.');
  private readonly uploadBytes = this.counter(
    'gatehouse_upload_bytes_total',
    'Bytes received in uploads, regardless of the result.',
  );
  private readonly downloadBytes = this.counter(
    'gatehouse_download_bytes_total',
    'Bytes of archives that the service sent for download URLs.',
  );
  private readonly databaseDurations = this.durations(
    'gatehouse_database_duration_seconds',
    'Duration of database transactions, including the wait for a connection or lock. Includes background work.',
    'kind',
  );
  private readonly databaseFailures = this.counter(
    'gatehouse_database_failures_total',
    'Database transactions that failed, not counting refusals.',
    'kind',
  );
  private readonly storeDurations = this.durations(
    'gatehouse_bundle_store_duration_seconds',
    'Duration of archive store operations. A read ends when its first bytes are available; a write includes the time the client takes to send.',
    'operation',
  );
  private readonly storeFailures = this.counter(
    'gatehouse_bundle_store_failures_total',
    'Archive store operations that failed because of the store.',
    'operation',
  );
  private readonly effectsPerformed = this.counter(
    'gatehouse_effects_performed_total',
    'Background jobs completed by this instance, by lane.',
    'lane',
  );
  private readonly effectFailures = this.counter(
    'gatehouse_effect_failures_total',
    'Failed attempts at background jobs that will be retried, by lane.',
    'lane',
  );
  private readonly choreFailures = this.counter(
    'gatehouse_background_failures_total',
    'Failed iterations of other background work.',
  );

  readonly database = worksOf('kind', ['read', 'transaction'], this.databaseDurations, this.databaseFailures);
  readonly store = worksOf(
    'operation',
    ['write', 'keep', 'discard', 'read', 'sign', 'sweep'],
    this.storeDurations,
    this.storeFailures,
  );

  constructor() {
    // Start at 0 instead of missing, so that rates are right from the first event on.
    for (const outcome of outcomes) this.uploads.inc({ outcome }, 0);
    for (const reason of shortages) this.memoryRefusals.inc({ reason }, 0);
    for (const reason of latenesses) this.lateBodies.inc({ reason }, 0);
    for (const limit of limits) this.limited.inc({ limit }, 0);
    for (const lane of Object.keys(lanes)) this.performed(lane, 0, 0);
  }

  requestBegun(): void {
    this.requestsInFlight.inc();
  }

  /** `route` is a pattern, so that neither ids nor invented paths become labels. */
  requestEnded(asked: string, route: string, status: number, seconds: number): void {
    const method = route === unmatched || status === 405 ? otherMethod : asked;
    this.requestsInFlight.dec();
    this.requestDurations.observe({ method, route }, seconds);
    this.requests.inc({ method, route, status });
  }

  requestLimited(limit: string): void {
    this.limited.inc({ limit });
  }

  memoryRefused(reason: (typeof shortages)[number]): void {
    this.memoryRefusals.inc({ reason });
  }

  bodyLate(reason: (typeof latenesses)[number]): void {
    this.lateBodies.inc({ reason });
  }

  /** Call `ended` with the error if the upload failed. */
  uploadBegun() {
    this.uploadsInFlight.inc();
    return {
      received: (bytes: number): void => this.uploadBytes.inc(bytes),
      ended: (error?: unknown): void => {
        this.uploadsInFlight.dec();
        this.uploads.inc({ outcome: error === undefined ? 'taken' : outcomeOf(error) });
      },
    };
  }

  downloaded(bytes: number): void {
    this.downloadBytes.inc(bytes);
  }

  performed(lane: string, done: number, failed: number): void {
    this.effectsPerformed.inc({ lane }, done);
    this.effectFailures.inc({ lane }, failed);
  }

  choreFailed(): void {
    this.choreFailures.inc();
  }

  private counter<Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.registry] });
  }

  private durations<Label extends string>(name: string, help: string, ...labelNames: Label[]): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }
}
