import type { IncomingMessage } from 'node:http';

/** An upload on its way. */
export interface UploadMeter {
  readonly received: (bytes: number) => void;
  /** With what it failed with, if it did. */
  readonly ended: (error?: unknown) => void;
}

/** Counts and measures requests. Nothing here throws, or takes long. */
export interface HttpMeter {
  requestBegun(): void;
  /** `route` is the pattern, or `unmatched`. */
  requestEnded(method: string, route: string, status: number, seconds: number): void;
  /** `limit` says which. */
  requestLimited(limit: string): void;
  /** For want of memory: of the caller's share, of the share of requests without a token, of all, or a response was cut. */
  memoryRefused(reason: 'caller' | 'unauthenticated' | 'whole' | 'unread'): void;
  /** A body was given up: it did not begin in time, or was too slow. */
  bodyLate(reason: 'silent' | 'slow'): void;
  uploadBegun(): UploadMeter;
  downloaded(bytes: number): void;
}

/** To be called at the end of a request, with the pattern of its route, or `unmatched`. */
export type EndOfRequest = (route: string, status: number) => void;

/** Calls `serve`, and knows from then on to which request belongs what it does, also later. `id` is that of the log. */
export type FollowRequest = (request: IncomingMessage, id: string, serve: () => void) => EndOfRequest;
