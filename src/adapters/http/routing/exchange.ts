import type { Request, Response } from 'express';
import type { Refusal } from '../../../application/index.js';
import type { RequestTrace } from '../../../domain/index.js';

/** By name. A list is a header for each value. */
export type Headers = Readonly<Record<string, string | number | readonly string[]>>;

/** The change that a request asks for, as the audit trail records it if it is refused. */
export type Asked = Omit<Refusal, 'outcome'>;

/** The times of streams of server-sent events, in milliseconds. */
export interface StreamTimes {
  /** Between two signs of life of a stream without events: proxies close silent connections. */
  readonly heartbeat: number;
  /** Until a stream ends. The client opens another, for which its rights are read again. */
  readonly longest: number;
  /** Between two parts of a stream about one workspace; what happens meanwhile is coalesced. */
  readonly betweenEvents: number;
  /** The same for an organization: its clients read whole lists again. */
  readonly betweenLists: number;
}

/** A response that waits for events. */
export interface Waiting {
  readonly times: StreamTimes;
  /** Aborted once the client is gone or the service stops. */
  readonly ended: AbortSignal;
}

/** One request and its response, for routes that read and write them directly. */
export interface Exchange {
  readonly request: Request;
  readonly response: Response;
  /** Aborted when the service stops, which ends every wait. */
  readonly stopping: AbortSignal;
  /** How the request came. The route stands for the path, which may be a secret. */
  origin(): RequestTrace;
  /** Any refusal from here on is recorded. */
  asks(asked: Asked): void;
  /** Writes the status and headers, including those of every response. */
  writeHead(status: number, headers?: Headers): Response;
  /** Overrides headers of every response for this one. Throws for a header that not every response has. */
  replaceHeaders(headers: Headers): void;
  /**
   * Reads the body with `into`, and measures it as an upload. `into` fails with `bundle/interrupted` when the client is
   * silent for too long or takes too long in all, or when the service stops.
   */
  receive<Received>(into: (body: AsyncIterable<Uint8Array>) => Promise<Received>): Promise<Received>;
  /**
   * Writes the parts and ends the response, whose head is already written. Throws when there are fewer bytes than
   * `length`.
   */
  download(parts: AsyncIterable<Uint8Array>, length?: number): Promise<void>;
}
