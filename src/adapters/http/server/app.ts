import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response, Router } from 'express';
import express from 'express';
import type { UseCases } from '../../../application/use-cases.js';
import { notServed } from '../openapi/not-served.js';
import { describeApi, servedApi } from '../openapi/served-api.js';
import type { Dialect, Edition } from '../routing/dialect.js';
import { RequestError } from '../routing/request-error.js';
import type { Method } from '../routing/route.js';
import type { Health, Scraped } from '../service/service-routes.js';
import { KeptContent } from '../web/kept-content.js';
import { webRoutes } from '../web/web-routes.js';
import { type CallerOptions, callers } from './callers.js';
import { HttpExchange } from './exchange.js';
import { checkUrl, type Fail, failing, unmatched } from './failures.js';
import { adopt, routerFor } from './fast.js';
import type { App } from './http-server.js';
import { Arrivals } from './memory/arrivals.js';
import type { MemoryBudget } from './memory/memory-budget.js';
import type { BodyFile } from './memory/receive-body.js';
import { Turns } from './memory/turns.js';
import { type Observers, observe } from './request-log.js';
import { refusing, type Serve, serving, servingAgents, servingPlainly } from './serve.js';
import { cutOff, type Timeouts } from './timeouts.js';

export interface AppOptions extends CallerOptions, Observers {
  readonly use: UseCases;
  readonly health: Health;
  /** Serves `/metrics`; without it there is no such route. */
  readonly scraped?: Scraped | undefined;
  readonly edition: Edition;
  /** The package's version, which is also that of the API's description. */
  readonly version: string;
  /** Addresses whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  readonly timeouts: Timeouts;
  readonly memory: MemoryBudget;
  /** Makes the file of a long body. */
  readonly openFile: () => Promise<BodyFile>;
  /** Aborted as soon as the service stops, which ends every wait. */
  readonly stopping: AbortSignal;
  /** Aborted when uploads in flight must end. */
  readonly stopped: AbortSignal;
}

/** HSTS only where clients reach the service over https. */
const fixedHeaders = (secure: boolean): readonly string[] =>
  Object.entries({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    // Clients of this API family refuse a service that does not report a version of at least 2.5.
    'TFP-API-Version': '2.6',
    'TFP-AppName': 'Gatehouse',
    // The release of the self-hosted edition whose features clients may use. The tfe provider asks it before it sends the
    // stages of a run task; a later one would promise more than is served.
    'X-TFE-Version': 'v202404-1',
    ...(secure ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  }).flat();

const emptyExpress = (trustedProxies: readonly string[]) => {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', false);
  if (trustedProxies.length > 0) app.set('trust proxy', [...trustedProxies]);
  return app;
};

/** A response as Express passes it to handlers: its `locals` are the exchange that it is part of. */
type Served = Response<unknown, HttpExchange>;

/** The memory of the exchange is held until it is served, also if its client has left by then. */
const run = (serve: Serve, exchange: HttpExchange, fail: Fail): void => {
  exchange.begin();
  serve(exchange).then(
    () => exchange.finish(),
    (error: unknown) => {
      exchange.finish();
      fail(exchange, error);
    },
  );
};

/**
 * Registers routes grouped by path, so that a known path with another method is a 405 that lists the allowed methods.
 */
function mount<Route extends { readonly method: Method; readonly path: string }>(
  target: Pick<Router, 'route'>,
  prefix: string,
  routes: readonly Route[],
  serveBy: (route: Route) => Serve,
  fail: Fail,
): void {
  for (const [path, here = []] of Map.groupBy(routes, (route) => route.path)) {
    const registered = target.route(path);
    const pattern = prefix + path;
    for (const route of here) {
      const serve = serveBy(route);
      registered[route.method]((_request: Request, { locals: exchange }: Served) => {
        exchange.route = pattern;
        // Express itself would pass an error through all routes that come later.
        run(serve, exchange, fail);
      });
    }
    const methods = here.map(({ method }) => method.toUpperCase());
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort().join(', ');
    registered.all((request: Request, { locals: exchange }: Served) => {
      exchange.route = pattern;
      checkUrl(request);
      throw new RequestError(
        405,
        'method not allowed',
        [{ detail: `${request.method} is not allowed here; use one of ${allowed}` }],
        {
          Allow: allowed,
        },
      );
    });
  }
}

/** Registers the parts of the API family that are not served, after all routes that are. */
function mountRefusals(target: Pick<Router, 'route'>, prefix: string, refuse: ReturnType<typeof refusing>, fail: Fail) {
  for (const { name, paths, alone = [], why } of notServed) {
    const serve = refuse(`not served: ${name}. ${why}`);
    for (const path of [...paths.map((one) => `${one}{/*below}`), ...alone]) {
      target.route(path).all((_request: Request, { locals: exchange }: Served) => {
        exchange.route = prefix + path;
        run(serve, exchange, fail);
      });
    }
  }
}

/** The HTTP face of the service: both dialects, the capability URLs, and what the service says about itself. */
export function buildApp(options: AppOptions): App {
  const { use, edition, version, trustedProxies, timeouts } = options;
  const app = emptyExpress(trustedProxies);
  const fail = failing(options.log, use.refusals, timeouts.lingering);
  const known = callers(options);
  const serve = serving(known);
  const servePlainly = servingPlainly(known);
  const description = (only?: Dialect['name']) =>
    new KeptContent('application/json', async () =>
      Buffer.from(JSON.stringify(await describeApi(edition, version, only))),
    );
  const api = servedApi(use, edition, {
    health: options.health,
    descriptions: { both: description(), client: description('client'), contract: description('contract') },
    scraped: options.scraped,
    browsers: options.browsers,
  });

  for (const { prefix, areas } of api.dialects) {
    const router = routerFor(app, prefix);
    mount(
      router,
      prefix,
      api.atEachMount.flatMap(({ routes }) => routes),
      servePlainly,
      fail,
    );
    mount(
      router,
      prefix,
      areas.flatMap(({ routes }) => routes),
      serve,
      fail,
    );
    mountRefusals(router, prefix, refusing(known), fail);
  }
  mount(app, '', [...api.plain.flatMap(({ routes }) => routes), ...webRoutes(version)], servePlainly, fail);
  mount(app, '', api.agents.routes, servingAgents(known), fail);

  const dependencies = {
    ...options,
    arrivals: new Arrivals(timeouts.pace),
    turns: new Turns(),
    listTurns: new Turns(),
    behindProxies: trustedProxies.length > 0,
    headers: fixedHeaders(options.browsers.publicUrl.startsWith('https:')),
  };
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const [request, response] = [incoming as Request, outgoing as Served];
    const exchange = new HttpExchange(request, response, dependencies);
    response.locals = exchange;
    const whole = cutOff(request, response, timeouts);
    const dispatch = () => app(request, response, (error: unknown) => fail(exchange, error ?? unmatched(request)));
    observe(options, exchange, dispatch, () => {
      clearTimeout(whole);
      exchange.close();
    });
  };
  return Object.assign(handle, {
    adopt: (request: IncomingMessage, response: ServerResponse) => adopt(app, request, response),
  });
}
