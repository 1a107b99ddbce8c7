import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { DomainError } from '../../../domain/index.js';
import { mediaType } from '../routing/document.js';
import { internalProblem, problemOf } from '../routing/error-table.js';
import { limits } from '../routing/limits.js';
import { badRequest, RequestError } from '../routing/request-error.js';
import { bornForExpress } from './fast.js';
import type { Timeouts } from './timeouts.js';

/** Further connections are closed on arrival, which leaves open files and memory to the requests in progress. */
const maxConnections = 10_000;

/** Longer than proxies keep a connection, so that the proxy closes it and none is closed as a request arrives. */
const keptAlive = 75_000;

/** Handles requests once the service is ready. */
export interface App {
  (request: IncomingMessage, response: ServerResponse): void;
  /** Makes every request and response with these prototypes, which then inherit what the app gives them. */
  adopt(request: IncomingMessage, response: ServerResponse): void;
}

export interface HttpServer {
  readonly server: Server;
  /** Call it once. Until then every request receives a 503 with a JSON:API error. */
  serve(app: App): void;
  /** Closes connections without any request: Node counts them as active. */
  closeUnused(): void;
}

/** Answers a request that is refused here, and closes its connection. */
function refuse(response: ServerResponse, error: Error): void {
  const { status, document, headers } = problemOf(error) ?? internalProblem;
  const body = JSON.stringify(document);
  const length = Buffer.byteLength(body);
  response.writeHead(status, { ...headers, ...headersOf(length), Connection: 'close' }).end(body);
}

const starting: RequestListener = (_request, response) =>
  refuse(response, new DomainError('service/unavailable', 'the service is starting; try again in a few seconds'));

/** With several hosts, a proxy and this service could each believe another. */
const oneHost = badRequest('the request must have exactly one Host header');

/** HTTP/1.0 has none. */
const hasOneHost = ({ rawHeaders, httpVersion }: IncomingMessage): boolean => {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
};

/** The requests that Node cannot read, by its error code. */
const unreadable: Readonly<Record<string, RequestError>> = {
  HPE_HEADER_OVERFLOW: new RequestError(431, 'request header fields too large', [
    { detail: `the request line and headers are larger than ${limits.head.max} bytes` },
  ]),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new RequestError(413, 'payload too large', [
    { detail: 'the chunk extensions of the body are too large' },
  ]),
  ERR_HTTP_REQUEST_TIMEOUT: new RequestError(408, 'request timeout', [
    { detail: 'the request took too long to arrive' },
  ]),
};

const unreadableOtherwise = badRequest('the request is malformed');

/** Node's error for bytes that it cannot parse. */
interface ParserError extends NodeJS.ErrnoException {
  /** The last bytes received; the whole head if it arrived at once. */
  readonly rawPacket?: Buffer;
}

/** The headers of an error response that is written here. */
const headersOf = (length: number): Readonly<Record<string, string>> => ({
  'Cache-Control': 'no-store',
  'Content-Type': mediaType,
  'Content-Length': String(length),
  'X-Content-Type-Options': 'nosniff',
});

/** The whole response as text: Node has not made a response object. */
function refusalOf({ code, rawPacket }: ParserError): string {
  const { status, document } = problemOf(unreadable[code ?? ''] ?? unreadableOtherwise) ?? internalProblem;
  const body = JSON.stringify(document);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    ...Object.entries(headersOf(Buffer.byteLength(body))).map(([name, value]) => `${name}: ${value}`),
    '',
    // A response to HEAD has no body: anything after the head would be read as another response.
    rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ' ? '' : body,
  ].join('\r\n');
}

/** Cuts off clients whose requests do not get as far as a handler. */
export function httpServer({ head, idle, total }: Pick<Timeouts, 'head' | 'idle' | 'total'>): HttpServer {
  const { Incoming, Outgoing } = bornForExpress();
  let handle = starting;
  const answer: RequestListener = (request, response) => {
    // After a request to upgrade the protocol, Node leaves a broken request unanswered and its connection open for as
    // long as a head may take, so nothing may follow on it.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    if (hasOneHost(request)) handle(request, response);
    else refuse(response, oneHost);
  };
  const server = createServer(
    {
      IncomingMessage: Incoming,
      ServerResponse: Outgoing,
      headersTimeout: head,
      requestTimeout: total + idle,
      keepAliveTimeout: keptAlive,
      // The maximum delay in enforcing the first two.
      connectionsCheckingInterval: Math.ceil(head / 3),
      maxHeaderSize: limits.head.max,
      // Node refuses a missing Host with an empty body, and accepts two.
      requireHostHeader: false,
    },
    answer,
  );
  // An unknown expectation is ignored: by default Node responds with a bare 417.
  server.on('checkExpectation', answer);
  server.on('clientError', (error: ParserError, given) => {
    const connection = given as Socket;
    // Node's own property, which its default handler also reads.
    const current: ServerResponse | null | undefined = Reflect.get(connection, '_httpMessage');
    // In the middle of a response, another would be read as the rest of it.
    if (connection.writable && error.code !== 'ECONNRESET' && !current?.headersSent) connection.write(refusalOf(error));
    connection.destroySoon();
  });
  const connections = new Set<Socket>();
  server.on('connection', (connection: Socket) => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
  });
  server.maxConnections = maxConnections;
  // Requests in progress are notified and decide; any other connection is closed.
  server.timeout = idle;
  return {
    server,
    serve: (app) => {
      app.adopt(Incoming.prototype, Outgoing.prototype);
      handle = app;
    },
    closeUnused: () => {
      for (const connection of connections) if (connection.bytesRead === 0) connection.destroy();
    },
  };
}
