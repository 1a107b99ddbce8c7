import type { FollowRequest } from '../../adapters/http/server/observation.js';
import type { Patience } from '../../adapters/http/server/patience.js';
import type { RequestLog } from '../../adapters/http/server/request-log.js';
import type { Connections } from '../../adapters/metrics/exposition.js';
import type { BundleStore, UnitOfWork } from '../../application/index.js';
import type { Config } from '../config.js';

/** What exists before the container does: read from the environment, opened or generated at start. */
export interface Surroundings {
  readonly config: Config;
  /** The opened database's. */
  readonly unitOfWork: UnitOfWork;
  readonly bundleStore: BundleStore;
  readonly publicUrl: string;
  /** The first signs and seals, all are understood. */
  readonly signingSecrets: readonly [string, ...string[]];
  readonly log: RequestLog;
  /** Rejects while requests cannot be served. */
  readonly ready: () => Promise<void>;
  /** Aborted as soon as the service is told to stop: nothing waits, and nothing is fetched, any longer. */
  readonly stopping: AbortSignal;
  /** Aborted when uploads in flight must end. */
  readonly stopped: AbortSignal;
  /** Where commits are fetched to; where the system puts passing files when it is left out. */
  readonly temporaryDir?: string;
  /** Of Postgres; left out with other databases. */
  readonly connections?: (() => Connections) | undefined;
  /** Where traces are made of requests. */
  readonly follow?: FollowRequest | undefined;
  /** Whether the metrics are to tell of the process as well, which is then watched. */
  readonly watchProcess?: boolean;
  /** How long clients may take; the usual time when it is left out. */
  readonly patience?: Patience;
}
