import type { FollowRequest } from '../../adapters/http/server/observation.js';
import type { RequestLog } from '../../adapters/http/server/request-log.js';
import type { Timeouts } from '../../adapters/http/server/timeouts.js';
import type { PoolerUse } from '../../adapters/http/service/service-resource.js';
import type { Connections } from '../../adapters/metrics/exposition.js';
import type { BundleStore, Snapshots, UnitOfWork } from '../../application/index.js';
import type { Config } from '../config.js';

/** The objects that exist before the container: read from the environment, opened or generated at start. */
export interface Dependencies {
  readonly config: Config;
  /** The unit of work of the opened database. */
  readonly unitOfWork: UnitOfWork;
  readonly snapshots: Snapshots;
  readonly bundleStore: BundleStore;
  readonly publicUrl: string;
  /** The first secret signs and seals; all are accepted. */
  readonly signingSecrets: readonly [string, ...string[]];
  readonly log: RequestLog;
  /** Rejects while requests cannot be served. */
  readonly ready: () => Promise<void>;
  /** Whether the database serves reads and accepts no writes. Rejects while it does not respond. */
  readonly readOnly: () => Promise<boolean>;
  /** For Postgres only: how a pooler is used, if there is one. */
  readonly pooler?: (() => PoolerUse | undefined) | undefined;
  /** Aborted when the service begins to stop: all waits and fetches end. */
  readonly stopping: AbortSignal;
  /** Aborted when uploads in flight must end. */
  readonly stopped: AbortSignal;
  /** The directory for fetched commits and long request bodies; the system's temporary directory by default. */
  readonly temporaryDir?: string;
  /** For Postgres only. */
  readonly connections?: (() => Connections) | undefined;
  /** Set if requests are traced. */
  readonly follow?: FollowRequest | undefined;
  /** Whether the metrics include the process, which is then monitored. */
  readonly watchProcess?: boolean;
  /** The time limits for clients; the defaults if omitted. */
  readonly timeouts?: Timeouts;
}
