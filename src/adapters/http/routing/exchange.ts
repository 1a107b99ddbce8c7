import type { Request, Response } from 'express';
import type { Refusal } from '../../../application/index.js';
import type { RequestTrace } from '../../../domain/index.js';

/** By name. A list is a header for each value. */
export type Headers = Readonly<Record<string, string | number | readonly string[]>>;

/** The change that a request asks for, as the audit trail records it if it is refused. */
export type AuditedRequest = Omit<Refusal, 'outcome'>;

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

/** A body that has arrived. */
export interface WholeBody {
  readonly size: number;
  /** Undefined for a long body, which is in a file. */
  readonly inMemory: Uint8Array | undefined;
  /** The bytes in slices; each is valid until the next one is asked for. Other work runs between them. */
  slices(): AsyncIterable<Uint8Array>;
}

/** The turn of a request to parse a long body. */
export interface Turn {
  /** Counts memory that the parser has taken. It is set apart for one parser, so there is always room for it. */
  took(bytes: number): void;
}

/** Facts about a request that are known before its body is read. */
export interface Admission {
  /** Long bodies are parsed in turn by organization; null where no organization is known. */
  readonly organization: string | null;
  /** A lease or a lock that the caller holds: its slow body is then waited for as long as an upload. */
  readonly holds?: 'lease' | 'lock';
  /** The caller whose share of the memory the request counts against. By default the user's, team's or token's, or the address. */
  readonly caller?: string;
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
  audits(asked: AuditedRequest): void;
  /** Writes the status and headers, including those of every response. */
  writeHead(status: number, headers?: Headers): Response;
  /** Overrides headers of every response for this one. Throws for a header that not every response has. */
  replaceHeaders(headers: Headers): void;
  /**
   * Reads the body with `into`, and measures it as an upload. `into` fails with `bundle/interrupted` when the client is
   * silent for too long or takes too long in all, or when the service stops.
   */
  receive<Received>(into: (body: AsyncIterable<Uint8Array>) => Promise<Received>): Promise<Received>;
  /** Call it before the body is read, or the response is written. */
  admit(admission: Admission): void;
  /**
   * Reads the body into memory or, when it is long, into a file. Throws a 400, 408 or 413, and a 429 or 503 if there
   * is not enough memory for it.
   */
  body(largest: number): Promise<WholeBody>;
  /** Reserves memory until the request and its response have ended. Throws a 429 or 503 when there is none. */
  reserve(bytes: number): void;
  /** Waits until it is this request's turn to parse a long body. The turn ends with the route's `handle`. */
  turn(): Promise<Turn>;
  /** Writes a whole response. Throws a 429 or 503 when there is no memory for it until the client has read it. */
  respond(status: number, headers: Headers, body: string | Uint8Array): void;
  /**
   * Writes the parts and ends the response, whose head is already written. Throws when there are fewer bytes than
   * `length`.
   */
  download(parts: AsyncIterable<Uint8Array>, length?: number): Promise<void>;
}
