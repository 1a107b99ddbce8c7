import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';

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

/** What handles requests once the service is ready. */
export interface App {
  (request: IncomingMessage, response: ServerResponse): void;
  /** Has every request and response made with these prototypes, which then inherit what the app gives them. */
  adopt(request: IncomingMessage, response: ServerResponse): void;
}

export interface HttpServer {
  readonly server: Server;
  /** To be called once. Until then every request is answered 503. */
  serve(app: App): void;
}

const starting: RequestListener = (_request, response) => {
  response.writeHead(503, { 'Retry-After': '1' }).end();
};

/** Cuts clients off that do not get as far as being handled. */
export function httpServer({ head, idle, total }: Patience): HttpServer {
  // Express changes the prototypes of requests and responses that do not have its own. To be born with them saves a small
  // request 3 µs of 45.
  class Incoming extends IncomingMessage {}
  class Outgoing extends ServerResponse<Incoming> {}
  let handle = starting;
  const server = createServer(
    {
      IncomingMessage: Incoming,
      ServerResponse: Outgoing,
      headersTimeout: head,
      requestTimeout: total + idle,
      keepAliveTimeout: keptAlive,
      // How late the first two may come.
      connectionsCheckingInterval: Math.ceil(head / 3),
    },
    (request, response) => handle(request, response),
  );
  server.maxConnections = mostConnections;
  // Requests that are being served hear of it, and decide; any other connection is closed.
  server.timeout = idle;
  return {
    server,
    serve: (app) => {
      app.adopt(Incoming.prototype, Outgoing.prototype);
      handle = app;
    },
  };
}
