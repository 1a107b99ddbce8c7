import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type Request, type Response, type Router } from 'express';
import {
  type Actor,
  type AuditAction,
  agentActorOf,
  auditActorOf,
  identityOf,
  isOpenTo,
  notFound,
} from '../../domain/index.js';
import { type AgentRoute, agentRoutes } from './agents/agent-api-routes.js';
import { agentFileRoutes } from './agents/agent-file-routes.js';
import { askedAbout, asks, refusalOf, requestTraceOf } from './audit/asked.js';
import { clientAddressOf } from './client-address.js';
import { bundleRoutes } from './configuration-versions/bundle-routes.js';
import { type Dialect, dialects, type Edition, inEdition } from './dialect.js';
import { addHeaders, writeHead } from './head.js';
import type { App, Patience } from './http-server.js';
import { mediaType } from './json-api/document.js';
import { internalProblem, type Problem, problemOf } from './json-api/error-table.js';
import { Query } from './json-api/query.js';
import { hasBody, readBody, readBytes } from './json-api/read-body.js';
import { badRequest, noSuchRoute, RequestError } from './json-api/request-error.js';
import { limits } from './limits.js';
import type { EndOfRequest, FollowRequest, HttpMeter } from './observation.js';
import type { LimitHeaders, RateLimits } from './rate-limit.js';
import { describeApi } from './reference/served-api.js';
import { type Answer, bearerOf, type PlainRoute, type Route } from './route.js';
import { routes } from './routes.js';
import { logRoutes } from './runs/log-routes.js';
import { send } from './send.js';
import { type Health, metricsRoute, pingRoute, type Scraped, serviceRoutes } from './service/service-routes.js';
import type { UseCases } from './use-cases.js';
import { webhookRoutes } from './version-control/webhook-routes.js';
import { KeptContent } from './web/kept-content.js';
import { assetsPath, webRoutes } from './web/web-routes.js';

/** Where one line per request goes, and one per fault of the service. Neither holds a secret or a capability URL. */
export interface RequestLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface AppOptions {
  readonly use: UseCases;
  readonly health: Health;
  readonly log: RequestLog;
  readonly meter: HttpMeter;
  /** What `/metrics` answers; there is no such route without it. */
  readonly scraped?: Scraped | undefined;
  /** Where traces are made of requests. */
  readonly follow?: FollowRequest | undefined;
  readonly edition: Edition;
  /** Of the package, which the description of the API goes by. */
  readonly version: string;
  readonly rates: RateLimits;
  readonly rateLimitPerSecond: number;
  /** Addresses whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly patience: Patience;
  /** Aborted as soon as the service is told to stop: nobody waits for anything any longer. */
  readonly stopping: AbortSignal;
  /** Aborted when uploads in flight must end. */
  readonly stopped: AbortSignal;
  /** Whether clients reach the service over https, so that they may be told to insist on it. */
  readonly secure: boolean;
}

/** A forge reports to many webhooks from one address: together they may as often as so many alone. */
const webhooksPerForge = 10;

const fixedHeaders = (secure: boolean): readonly string[] =>
  Object.entries({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    // Clients of this API family refuse a service that does not name a version from 2.5 on.
    'TFP-API-Version': '2.6',
    'TFP-AppName': 'Gatehouse',
    ...(secure ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  }).flat();

/** What the log line of a request is made of. The route's pattern stands for the URL, which may be a secret. */
interface Traced {
  id: string;
  /** Undefined behind proxies, where it takes time to tell. */
  address: string | undefined;
  route: string;
  /** The id of who called. */
  actor?: string;
  /** What a fault that cut the answer off would have been answered with. */
  cutOffFor?: number;
  /** Whether the answer went out before the request was read: the client may then leave without hearing its end. */
  refusedEarly?: boolean;
}

const traceOf = (response: Response): Traced => response.locals.trace as Traced;

/**
 * Writes the head of an answer, and returns its body with the encoding to write it in: what is all ASCII is the same
 * bytes in Latin 1, which takes Node 5 µs less of a page of 12 KB.
 */
const begin = (response: Response, answer: Answer | Problem): readonly [body: string, BufferEncoding] => {
  const { status, document, headers = {} } = answer;
  addHeaders(response, headers);
  if (document === undefined) {
    writeHead(response, status);
    return ['', 'latin1'];
  }
  const body = JSON.stringify(document);
  const length = Buffer.byteLength(body);
  writeHead(response, status, { 'Content-Type': mediaType, 'Content-Length': length });
  return [body, length === body.length ? 'latin1' : 'utf8'];
};

/** Writes an answer whose length nobody knows. What fails from here on cuts it off. */
const stream = async (
  request: Request,
  response: Response,
  { status, headers }: Answer,
  parts: AsyncIterable<string | Uint8Array>,
) => {
  writeHead(response, status, { 'Content-Type': mediaType, ...headers });
  if (request.method !== 'HEAD') return send(parts, response);
  response.end();
  await parts[Symbol.asyncIterator]().return?.();
};

/**
 * Answers a client that is still sending, and reads on for a moment: ending at once may reset the connection, and with
 * it the answer be lost.
 */
const refuseEarly = (request: Request, response: Response, problem: Problem, lastWord: number): void => {
  traceOf(response).refusedEarly = true;
  response.write(...begin(response, problem));
  request.resume().once('end', () => response.end());
  const cut = setTimeout(() => request.destroy(), lastWord).unref();
  response.once('close', () => clearTimeout(cut));
};

/**
 * Whoever neither sends nor reads is not waited for: its connection, and the file or the database's answer behind it,
 * are needed by others. Bodies that are read have a patience of their own, and a 408. Answers a timer to be cleared when
 * the response closes.
 */
const cutOff = (request: Request, response: Response, { idle, total, lastWord }: Patience): NodeJS.Timeout => {
  // Silence is no fault while there is nothing to read: the service may be at work, or an agent wait for a run.
  response.on('timeout', () => {
    if (request.socket.writableLength > 0) request.destroy();
  });
  if (hasBody(request)) {
    response.on('finish', () => {
      if (!request.complete) setTimeout(() => request.complete || request.destroy(), lastWord).unref();
    });
  }
  return setTimeout(() => request.destroy(), total + idle).unref();
};

/** Throws a 414, or a 400: as in bodies, databases disagree about NUL in text. */
const checkUrl = ({ originalUrl }: Request): void => {
  if (originalUrl.length > limits.url.most) {
    throw new RequestError(414, 'uri too long', [{ detail: `the URL is longer than ${limits.url.most} characters` }]);
  }
  if (originalUrl.includes('%00')) throw badRequest('the URL has a NUL character in it');
  const { most } = limits.parameters;
  if (originalUrl.length > most && originalUrl.split('&', most + 1).length > most) {
    throw badRequest(`the query has more than ${most} parameters`);
  }
};

/** Why nothing serves the request. */
const unmatched = (request: Request): unknown => {
  try {
    checkUrl(request);
  } catch (refusal) {
    return refusal;
  }
  return noSuchRoute();
};

/** The HTTP face of the service: both dialects, the capability URLs, and what the service says about itself. */
export function buildApp(options: AppOptions): App {
  const { use, log, meter, follow } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', false);
  if (options.trustedProxies.length > 0) app.set('trust proxy', [...options.trustedProxies]);

  const { rates, rateLimitPerSecond } = options;
  const limit = (kind: string, perSecond = rateLimitPerSecond) =>
    rates.limit(kind, perSecond, () => meter.requestLimited(kind));
  const perCaller = limit('caller');
  const perCapabilityAddress = limit('capability');
  const perPageAddress = limit('page');
  const perScrapingAddress = limit('scrape');
  const perWebhook = limit('webhook');
  const perForge = limit('forge', rateLimitPerSecond * webhooksPerForge);
  const behindProxies = options.trustedProxies.length > 0;
  /** How requests without a token are counted, by how their path begins. */
  const counts: readonly (readonly [string, (request: Request) => LimitHeaders])[] = [
    ['/v1/', (request) => perCapabilityAddress(`address ${clientAddressOf(request)}`)],
    ['/metrics', (request) => perScrapingAddress(`address ${clientAddressOf(request)}`)],
    // One look at a page asks for all that it is made of, which leaves the caller what it had for the API.
    [assetsPath, (request) => perPageAddress(`address ${clientAddressOf(request)}`)],
    [
      '/hooks/',
      (request) => {
        const address = clientAddressOf(request);
        perForge(`address ${address}`);
        return perWebhook(`address ${address} webhook ${request.params.id}`);
      },
    ],
    ['', (request) => perCaller(`address ${clientAddressOf(request)}`)],
  ];
  const headers = fixedHeaders(options.secure);

  const fail = (request: Request, response: Response, error: unknown): void => {
    if (request.destroyed && !request.complete) {
      // The client is gone: there is nobody to answer, and nothing went wrong here.
      response.destroy();
      return;
    }
    const refusal = refusalOf(request, response, error);
    if (refusal !== undefined) use.refusals.note(refusal);
    const known = problemOf(error) ?? problemOfExpress(error);
    if (known === undefined || known.status >= 500) {
      log.error({ request: traceOf(response).id, route: traceOf(response).route, err: error }, 'request failed');
    }
    const problem = known ?? internalProblem;
    if (response.headersSent) {
      traceOf(response).cutOffFor = problem.status;
      response.destroy();
      return;
    }
    if (request.complete) response.end(...begin(response, problem));
    else refuseEarly(request, response, problem, options.patience.lastWord);
  };

  const failed = (request: Request, response: Response, error: unknown): void => {
    try {
      fail(request, response, error);
    } catch (fault) {
      log.error({ request: traceOf(response).id, route: traceOf(response).route, err: fault }, 'request failed');
      response.destroy();
    }
  };

  /** Left to Express, an error is carried past all routes that come later. */
  const caught =
    (handler: Handler): Handler =>
    (request, response) =>
      handler(request, response).catch((error: unknown) => failed(request, response, error));

  const callerOf = (secret: string | undefined) => use.authenticate.execute(secret);
  const agentOf = (secret: string | undefined) => use.authenticateAgent.execute(secret);

  /**
   * Counts a caller with a good token by what `countedAs` names, and any other by its address. Several tokens of one user
   * share that user's limit.
   */
  const authenticate = async <Caller>(
    request: Request,
    response: Response,
    identify: (secret: string | undefined) => Promise<Caller>,
    idOf: (caller: Caller) => string,
    countedAs: (caller: Caller) => string,
  ): Promise<Caller> => {
    const secret = bearerOf(request);
    let caller: Caller;
    try {
      caller = await identify(secret);
    } catch (error) {
      addHeaders(response, perCaller(`address ${clientAddressOf(request)}`));
      throw error;
    }
    traceOf(response).actor = idOf(caller);
    addHeaders(response, perCaller(countedAs(caller)));
    return caller;
  };

  const serve = (route: Route) =>
    caught(async (request, response) => {
      const caller = await authenticate(request, response, callerOf, (known) => identityOf(known).id, ownerOf);
      checkUrl(request);
      const [path = '', query = ''] = splitOnce(request.originalUrl, '?');
      const parameters = request.params as Record<string, string>;
      const { path: pattern, action } = route;
      const asked =
        route.method === 'get' || action === null
          ? undefined
          : { actor: auditActorOf(caller), action, request: requestTraceOf(request, response) };
      const actor = asked === undefined ? caller : { ...caller, request: asked.request };
      // A body that is not a good one must not tell this caller that there is such an endpoint.
      const isOpen = isOpenTo(caller, action);
      const body = isOpen ? await bodyFor(route, request, response) : undefined;
      if (asked !== undefined) asks(response, { ...askedAbout(pattern, parameters, body), ...asked });
      if (!isOpen) throw notFound();
      const answer = await route.handle({
        actor,
        sameActor: () => callerOf(bearerOf(request)),
        parameters,
        query: new Query(query),
        body,
        header: (name) => request.get(name),
        path,
      });
      if (answer.parts === undefined) response.end(...begin(response, answer));
      else await stream(request, response, answer, answer.parts);
    });

  const serveAgent = ({ handle, method, path }: AgentRoute) =>
    caught(async (request, response) => {
      const known = await authenticate(
        request,
        response,
        agentOf,
        ({ poolId }) => poolId,
        ({ tokenId }) => `agent ${tokenId}`,
      );
      const agent = { ...known, request: requestTraceOf(request, response) };
      if (method !== 'get') {
        asks(response, {
          actor: agentActorOf(agent),
          action: reportedBy(path),
          subject: String(request.params.id ?? '') || null,
          about: { kind: 'agent-pools', id: agent.poolId },
          request: agent.request,
        });
      }
      checkUrl(request);
      await handle(agent, request, response);
    });

  const servePlain = ({ path, handle }: PlainRoute) =>
    caught(async (request, response) => {
      const count = counts.find(([prefix]) => path.startsWith(prefix))?.[1];
      if (count !== undefined && !unlimited.has(path)) addHeaders(response, count(request));
      checkUrl(request);
      await handle(request, response);
    });

  const description = new KeptContent('application/json', () =>
    Buffer.from(JSON.stringify(describeApi(options.edition, options.version))),
  );

  // Routes are tried in turn, so that what is asked most comes first.
  for (const dialect of [...dialects].sort((a, b) => b.prefix.length - a.prefix.length)) {
    mountDialect(app, inEdition(dialect, options.edition), use, serve, servePlain);
  }
  mount(
    app,
    '',
    [
      ...serviceRoutes(options.health, description),
      ...webRoutes(options.version),
      ...(options.scraped === undefined ? [] : [metricsRoute(options.scraped)]),
      ...bundleRoutes(use, options.patience, options.stopped, meter),
      ...logRoutes(use),
      ...webhookRoutes(use),
    ],
    servePlain,
  );
  const ofAgents = [
    ...agentRoutes(use, options.stopping),
    ...agentFileRoutes(use, options.patience, options.stopped, meter),
  ];
  mount(app, '', ofAgents, serveAgent);

  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const [request, response] = [incoming as Request, outgoing as Response];
    const begun = performance.now();
    // Asked for now: once the connection is gone, nobody knows it.
    const { remoteAddress } = request.socket;
    const trace: Traced = { id: randomUUID(), route: 'unmatched', address: behindProxies ? undefined : remoteAddress };
    response.locals = { trace, headers: [...headers, 'X-Request-Id', trace.id] };
    const whole = cutOff(request, response, options.patience);
    let ended: EndOfRequest | undefined;
    meter.requestBegun();
    response.on('close', () => {
      clearTimeout(whole);
      const { method } = request;
      const { route } = trace;
      const status = trace.cutOffFor ?? (response.writableFinished || trace.refusedEarly ? response.statusCode : 499);
      const ms = performance.now() - begun;
      meter.requestEnded(method, route, status, ms / 1000);
      ended?.(route, status);
      log.info(
        {
          request: trace.id,
          method,
          route,
          status,
          ms: Math.round(ms * 10) / 10,
          address: (behindProxies ? clientAddressOf(request) : undefined) ?? remoteAddress,
          actor: trace.actor,
        },
        'request',
      );
    });
    const dispatch = () =>
      app(request, response, (error: unknown) => failed(request, response, error ?? unmatched(request)));
    if (follow === undefined) dispatch();
    else ended = follow(request, trace.id, dispatch);
  };
  return Object.assign(handle, {
    adopt: (request: IncomingMessage, response: ServerResponse) => {
      app.request = Object.setPrototypeOf(request, app.request);
      app.response = Object.setPrototypeOf(response, app.response);
    },
  });
}

const bodyFor = async ({ body }: Route, request: Request, response: Response): Promise<unknown> => {
  if (body === 'ignored') return undefined;
  return body === 'read' ? readBody(request, response) : readBytes(request, body.mostBytes);
};

/** Routes that monitors call, which no limit may silence. */
const unlimited: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** What an agent does by a route of this path. */
const reportedBy = (path: string): AuditAction => {
  if (path.endsWith('/claims')) return 'runs/claim';
  if (path.includes('state-versions')) return 'state-versions/write';
  if (path.includes('artifacts')) return 'runs/store-artifact';
  return path.includes('policy-evaluations') ? 'policy-outcomes/report' : 'runs/report';
};

/** Whose limit a token's requests count against: its owner's, however many tokens the owner has. */
const ownerOf = (caller: Actor): string => {
  const { kind, id } = identityOf(caller);
  return `${kind} ${id}`;
};

type Handler = (request: Request, response: Response) => Promise<void>;

/** Registers routes grouped by path, so that a known path with another method is a 405 that names what it allows. */
function mount<R extends { readonly method: PlainRoute['method']; readonly path: string }>(
  target: Pick<Router, 'route'>,
  prefix: string,
  all: readonly R[],
  handlerOf: (route: R) => Handler,
): void {
  for (const path of new Set(all.map((route) => route.path))) {
    const here = all.filter((route) => route.path === path);
    const registered = target.route(path);
    const name = (response: Response) => {
      traceOf(response).route = prefix + path;
    };
    for (const route of here) {
      const handler = handlerOf(route);
      registered[route.method]((request, response) => {
        name(response);
        return handler(request, response);
      });
    }
    const methods = here.map(({ method }) => method.toUpperCase());
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort().join(', ');
    registered.all((request, response) => {
      name(response);
      checkUrl(request);
      throw new RequestError(405, 'method not allowed', [{ detail: `${request.method} is not one of ${allowed}` }], {
        Allow: allowed,
      });
    });
  }
}

function mountDialect(
  app: Express,
  dialect: Dialect,
  use: UseCases,
  serve: (route: Route) => Handler,
  servePlain: (route: PlainRoute) => Handler,
): void {
  // Without a router of its own at the root: going through one costs a small request a twentieth of its time.
  const router = dialect.prefix === '' ? app : express.Router({ caseSensitive: true });
  mount(router, dialect.prefix, [pingRoute], servePlain);
  mount(router, dialect.prefix, routes(use, dialect), serve);
  if (router !== app) app.use(dialect.prefix, router);
}

const splitOnce = (text: string, separator: string): readonly string[] => {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
};

/** Express refuses a path it cannot decode by itself. */
const problemOfExpress = (error: unknown): Problem | undefined =>
  (error as { status?: unknown }).status === 400
    ? problemOf(new RequestError(400, 'bad request', [{ detail: 'the request cannot be understood' }]))
    : undefined;
