import type { IncomingMessage } from 'node:http';
import type { BundleStore, UnitOfWork } from '../../application/index.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Traces requests and their calls to the database and the store. */
export interface Tracing {
  /** Calls `serve` within the request's span; call the returned function at the end of the request. */
  follow(request: IncomingMessage, id: string, serve: () => void): (route: string, status: number) => void;
  /** `system` is the database's name in the conventions of OpenTelemetry. */
  unitOfWork(inner: UnitOfWork, system: string): UnitOfWork;
  bundleStore(inner: BundleStore): BundleStore;
  /** Notes the text of a statement, without values, as it runs. */
  statement(sql: string): void;
  /** Sends the remaining spans, within a short timeout. Never rejects. */
  close(): Promise<void>;
}
