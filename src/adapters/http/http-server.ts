import { createServer, type RequestListener, type Server } from 'node:http';

/** How long clients may take, in milliseconds. Whoever takes longer is cut off, and hurts nobody else. */
export interface Patience {
  /** For the head of a request, from the connection on or from the last answer. */
  readonly head: number;
  /** Between two signs of life of a client that sends its files, or reads an answer. */
  readonly idle: number;
  /** For an upload; request and answer together get one `idle` more. */
  readonly total: number;
  /** For a client that was answered before it had sent everything, to read why. */
  readonly lastWord: number;
}

export const usualPatience: Patience = { head: 15_000, idle: 30_000, total: 3_600_000, lastWord: 5_000 };

/** More are turned away as they come: open files and memory are then left for those that are being served. */
const mostConnections = 10_000;

/** Longer than proxies keep a connection, so that it is they who close it, and none is closed as a request comes. */
const keptAlive = 75_000;

/** Serves `handle`, and cuts clients off that do not get as far as being handled. */
export function httpServer(handle: RequestListener, { head, idle, total }: Patience): Server {
  const timeouts = {
    headersTimeout: head,
    requestTimeout: total + idle,
    keepAliveTimeout: keptAlive,
    // How late the first two may come.
    connectionsCheckingInterval: Math.ceil(head / 3),
  };
  const server = createServer(timeouts, handle);
  server.maxConnections = mostConnections;
  // Requests that are being served hear of it, and decide; any other connection is closed.
  server.timeout = idle;
  return server;
}
