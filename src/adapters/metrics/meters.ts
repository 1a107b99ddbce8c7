import { lanes } from '../../application/index.js';
import { isDomainError, isRefusal } from '../../domain/index.js';
import { type Count, Counts, type Duration, Durations, type Metric } from './tallies.js';

/** What the HTTP adapter calls a request's route before it is known, and where there is none. */
const unmatched = 'unmatched';

const otherMethod = '_OTHER';

interface RouteFigures {
  readonly duration: Duration;
  readonly byStatus: Map<number, Count>;
}

/** An upload on its way. */
export interface UploadFigures {
  readonly received: (bytes: number) => void;
  /** With what it failed with, if it did. */
  readonly ended: (error?: unknown) => void;
}

/** What becomes of uploads. Anything that is no refusal is `failed`. */
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
const storeOperations = ['write', 'keep', 'discard', 'read', 'sign', 'sweep'] as const;
const databaseKinds = ['read', 'transaction'] as const;

export type StoreOperation = (typeof storeOperations)[number];
export type DatabaseKind = (typeof databaseKinds)[number];

/** How long one kind of work took, and how often it failed. */
export class Work {
  constructor(
    private readonly duration: Duration,
    private readonly failures: Count,
  ) {}

  /**
   * Answers `result`, and hears of its end; `begun` is by `performance.now()`. `failed` says which errors are faults; by
   * default those that are no refusals.
   */
  measure<Result>(
    begun: number,
    result: Promise<Result>,
    failed: (error: unknown) => boolean = isFault,
  ): Promise<Result> {
    // Beside the caller, who waits for nothing more.
    void result.then(
      () => this.duration.observe((performance.now() - begun) / 1000),
      (error: unknown) => {
        this.duration.observe((performance.now() - begun) / 1000);
        if (failed(error)) this.failures.value += 1;
      },
    );
    return result;
  }
}

const isFault = (error: unknown): boolean => !isRefusal(error);

type Make<Made> = (name: string, help: string, ...labelNames: string[]) => Made;

const counter: Make<Counts<string>> = (name, help, ...labelNames) => new Counts('counter', { name, help, labelNames });
const gauge: Make<Counts<string>> = (name, help, ...labelNames) => new Counts('gauge', { name, help, labelNames });
const durations: Make<Durations<string>> = (name, help, ...labelNames) => new Durations({ name, help, labelNames });

/** What the service counts and measures as it works, from its start on. */
export class Meters {
  private readonly requestCounts = counter(
    'gatehouse_http_requests_total',
    'Requests, by method, pattern of the route and status; 499 where the client left before the end of its answer.',
    'method',
    'route',
    'status',
  );
  private readonly requestDurations = durations(
    'gatehouse_http_request_duration_seconds',
    'Time from the head of a request to the end of its answer. Uploads, downloads and agents waiting for a run take as long as their clients make them.',
    'method',
    'route',
  );
  private readonly requestsInFlight = gauge('gatehouse_http_requests_in_flight', 'Requests being served.');
  private readonly limited = counter(
    'gatehouse_rate_limited_requests_total',
    'Requests answered 429, by the limit they met.',
    'limit',
  );
  private readonly uploadCounts = counter(
    'gatehouse_uploads_total',
    'Uploads by what became of them. Refused ones met a version or a URL that takes none, interrupted ones a client that left or was too slow, failed ones a fault of the service or of what it stands on.',
    'outcome',
  );
  private readonly uploadsInFlight = gauge('gatehouse_uploads_in_flight', 'Uploads being received.');
  private readonly uploadBytes = counter(
    'gatehouse_upload_bytes_total',
    'Bytes of uploads that were received, whatever became of them.',
  );
  private readonly downloadBytes = counter(
    'gatehouse_download_bytes_total',
    'Bytes of archives that passed through the service to whoever held a download URL.',
  );
  private readonly databaseDurations = durations(
    'gatehouse_database_duration_seconds',
    'Time a unit of work took in the database, with its wait for a connection or its turn; those of background work are among them.',
    'kind',
  );
  private readonly databaseFailures = counter(
    'gatehouse_database_failures_total',
    'Units of work that failed, other than by a refusal.',
    'kind',
  );
  private readonly storeDurations = durations(
    'gatehouse_bundle_store_duration_seconds',
    'Time an operation on the archive store took; of a read, until its first bytes may be asked for; of a write, as long as its client took to send.',
    'operation',
  );
  private readonly storeFailures = counter(
    'gatehouse_bundle_store_failures_total',
    'Operations on the archive store that failed by a fault of the store.',
    'operation',
  );
  private readonly effectsPerformed = counter(
    'gatehouse_effects_performed_total',
    'Ordered work that this instance did, by lane.',
    'lane',
  );
  private readonly effectFailures = counter(
    'gatehouse_effect_failures_total',
    'Attempts at ordered work that failed and are tried again, by lane.',
    'lane',
  );
  private readonly choreFailures = counter(
    'gatehouse_background_failures_total',
    'Turns of any other background work that failed.',
  );

  readonly all: readonly Metric[] = [
    this.requestCounts,
    this.requestDurations,
    this.requestsInFlight,
    this.limited,
    this.uploadCounts,
    this.uploadsInFlight,
    this.uploadBytes,
    this.downloadBytes,
    this.databaseDurations,
    this.databaseFailures,
    this.storeDurations,
    this.storeFailures,
    this.effectsPerformed,
    this.effectFailures,
    this.choreFailures,
  ];

  private readonly routes = new Map<string, Map<string, RouteFigures>>();
  private readonly inFlight = this.requestsInFlight.of();
  private readonly uploads = this.uploadsInFlight.of();
  private readonly received = this.uploadBytes.of();
  private readonly sent = this.downloadBytes.of();
  private readonly chores = this.choreFailures.of();

  constructor() {
    // What never happened is 0, and not missing: rates are then right from the first time on.
    for (const outcome of outcomes) this.uploadCounts.of(outcome);
    for (const limit of limits) this.limited.of(limit);
    for (const lane of Object.keys(lanes)) {
      this.effectsPerformed.of(lane);
      this.effectFailures.of(lane);
    }
    for (const kind of databaseKinds) this.database(kind);
    for (const operation of storeOperations) this.store(operation);
  }

  requestBegun(): void {
    this.inFlight.value += 1;
  }

  /** `route` is a pattern, so that neither ids nor what strangers make up become labels. */
  requestEnded(method: string, route: string, status: number, seconds: number): void {
    this.inFlight.value -= 1;
    const served = route !== unmatched && status !== 405;
    const figures = this.figuresOf(route, served ? method : otherMethod);
    figures.duration.observe(seconds);
    let count = figures.byStatus.get(status);
    if (count === undefined) {
      count = this.requestCounts.of(served ? method : otherMethod, route, String(status));
      figures.byStatus.set(status, count);
    }
    count.value += 1;
  }

  requestLimited(limit: string): void {
    this.limited.of(limit).value += 1;
  }

  uploadBegun(): UploadFigures {
    this.uploads.value += 1;
    return {
      received: (bytes) => {
        this.received.value += bytes;
      },
      ended: (error) => {
        this.uploads.value -= 1;
        this.uploadCounts.of(error === undefined ? 'taken' : outcomeOf(error)).value += 1;
      },
    };
  }

  downloaded(bytes: number): void {
    this.sent.value += bytes;
  }

  performed(lane: string, done: number, failed: number): void {
    this.effectsPerformed.of(lane).value += done;
    this.effectFailures.of(lane).value += failed;
  }

  choreFailed(): void {
    this.chores.value += 1;
  }

  /** To be kept, as is the next. */
  database(kind: DatabaseKind): Work {
    return new Work(this.databaseDurations.of(kind), this.databaseFailures.of(kind));
  }

  store(operation: StoreOperation): Work {
    return new Work(this.storeDurations.of(operation), this.storeFailures.of(operation));
  }

  private figuresOf(route: string, method: string): RouteFigures {
    let byMethod = this.routes.get(route);
    if (byMethod === undefined) {
      byMethod = new Map();
      this.routes.set(route, byMethod);
    }
    let figures = byMethod.get(method);
    if (figures === undefined) {
      figures = { duration: this.requestDurations.of(method, route), byStatus: new Map() };
      byMethod.set(method, figures);
    }
    return figures;
  }
}
