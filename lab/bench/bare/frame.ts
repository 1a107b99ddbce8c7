import { hash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Meters } from '../../../src/adapters/metrics/meters.js';
import { logOutput } from '../../../src/infrastructure/log-output.js';

/*
 * The baselines: what an expert in Node would write to answer exactly these requests. They run through tsx, which
 * names functions at some cost when they are created, so no function that would get a name is created during a
 * request.
 */

export interface BareRequest {
  readonly method: string;
  readonly url: string;
  /** SHA-256 of the bearer, in hexadecimal. */
  readonly digest: string;
  /** Undefined without one. */
  readonly body: unknown;
}

export interface Answered {
  readonly status: number;
  /** For the log. */
  readonly route: string;
  readonly tokenId?: string;
  readonly userId?: string;
  readonly document?: object;
}

/** `equal` also does the service's side work: headers, request counts and the log line. */
const equal = process.env.MANNER === 'equal';

const mediaType = 'application/vnd.api+json';
const fixedHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'TFP-API-Version': '2.6',
  'TFP-AppName': 'Gatehouse',
  'X-TFE-Version': 'v202404-1',
};

const log = pino({ level: 'info' }, logOutput(process.stdout.fd));
const meters = new Meters();

const limit = 1_000_000;
const counted = new Map<string, { begun: number; count: number }>();

/** The rate-limit headers for the caller's current second. */
function limitHeaders(caller: string, now: number) {
  let second = counted.get(caller);
  if (second === undefined || now >= second.begun + 1_000) {
    second = { begun: now, count: 0 };
    counted.set(caller, second);
  }
  second.count += 1;
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(Math.max(0, limit - second.count)),
    'X-RateLimit-Reset': ((second.begun + 1_000 - now) / 1_000).toFixed(3),
  };
}

/** Logs a finished request and counts its metrics, as the service does. */
function note(
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  begun: number,
  { route, userId }: Answered,
) {
  const { method = '' } = request;
  const status = response.writableFinished ? response.statusCode : 499;
  const ms = performance.now() - begun;
  meters.requestEnded(method, route, status, ms / 1000);
  log.info(
    {
      request: id,
      method,
      route,
      status,
      ms: Math.round(ms * 10) / 10,
      address: request.socket.remoteAddress,
      actor: userId,
    },
    'request',
  );
}

function send(request: IncomingMessage, response: ServerResponse, begun: number, answered: Answered): void {
  const body = JSON.stringify(answered.document ?? { errors: [{ status: String(answered.status) }] });
  const length = Buffer.byteLength(body);
  // Latin-1 is written faster, and equals UTF-8 for ASCII.
  const encoding = length === body.length ? 'latin1' : 'utf8';
  if (!equal) {
    response.writeHead(answered.status, { 'Content-Type': mediaType, 'Content-Length': length }).end(body, encoding);
    return;
  }
  const id = randomUUID();
  meters.requestBegun();
  response.on('close', () => note(request, response, id, begun, answered));
  response
    .writeHead(answered.status, {
      ...fixedHeaders,
      'X-Request-Id': id,
      ...limitHeaders(answered.tokenId ?? String(request.socket.remoteAddress), begun),
      'Content-Type': mediaType,
      'Content-Length': length,
    })
    .end(body, encoding);
}

const secretOf = (request: IncomingMessage): string => (request.headers.authorization ?? '').slice('Bearer '.length);

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
}

/** Responds synchronously if `answer` does. */
export function serve(answer: (asked: BareRequest) => Answered | Promise<Answered>): void {
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    const begun = performance.now();
    const { method = '', url = '' } = request;
    const digest = hash('sha256', secretOf(request));
    if (method !== 'GET') {
      bodyOf(request)
        .then((body) => answer({ method, url, digest, body }))
        .then((answered) => send(request, response, begun, answered))
        .catch((error: unknown) => fail(response, error));
      return;
    }
    const answered = answer({ method, url, digest, body: undefined });
    if (!(answered instanceof Promise)) {
      send(request, response, begun, answered);
      return;
    }
    answered
      .then((settled) => send(request, response, begun, settled))
      .catch((error: unknown) => fail(response, error));
  });
  server.listen(0, '127.0.0.1', () => {
    process.stderr.write(`serves at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
}

function fail(response: ServerResponse, error: unknown): void {
  process.stderr.write(`${(error as Error).stack}\n`);
  response.writeHead(500).end();
}

/** The part after the last slash of `/configuration-versions/…` and similar paths. */
export const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const unauthenticated = (route: string): Answered => ({ status: 401, route });
