import type { IncomingMessage } from 'node:http';
import type { BundleStore, UnitOfWork } from '../../application/index.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Makes traces of requests and of what they ask of database and store. */
export interface Tracing {
  /** Calls `serve` within the request's span; call the returned function at the end of the request. */
  follow(request: IncomingMessage, id: string, serve: () => void): (route: string, status: number) => void;
  /** `system` is the database's name in the conventions of OpenTelemetry. */
  unitOfWork(inner: UnitOfWork, system: string): UnitOfWork;
  bundleStore(inner: BundleStore): BundleStore;
  /** Notes the text of a statement, which has no values in it, as it is run. */
  statement(sql: string): void;
  /** Sends what waits to be sent, for a moment. Never rejects. */
  close(): Promise<void>;
}
