import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { DomainError, isDomainError } from '../../../domain/index.js';
import type { Dialect } from '../routing/dialect.js';
import type { Exchange } from '../routing/exchange.js';
import { partsOf } from '../routing/query.js';
import type { Content } from '../routing/reference.js';
import { invalidParameter } from '../routing/request-error.js';
import { bearerOf, type PlainRoute } from '../routing/route.js';
import type { KeptContent } from '../web/kept-content.js';
import {
  discovery,
  discoverySchema,
  healthySchema,
  ipRanges,
  ipRangesSchema,
  notReadySchema,
  type PoolerUse,
  readySchema,
} from './service-resource.js';

/** The health the service reports. */
export interface Health {
  /** Rejects with the reason while requests cannot be served: the database is unavailable, or the service is stopping. */
  readonly ready: () => Promise<void>;
  readonly pooler?: (() => PoolerUse | undefined) | undefined;
}

/** The OpenAPI descriptions: of every endpoint, and of one dialect with the endpoints that exist once. */
export type Descriptions = Readonly<Record<Dialect['name'] | 'both', KeptContent>>;

const oneDialect = z
  .enum(['client', 'contract'])
  .optional()
  .meta({ description: 'The one dialect to describe. Without it, the description has both.' });

/** Metrics for Prometheus. */
export interface Scraped {
  /** Undefined where any client that reaches the service may read it. */
  readonly token: string | undefined;
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

const answerJson = (exchange: Exchange, status: number, body: unknown): void => {
  exchange.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
};

/** The errors of drivers may name hosts and files, so only a refusal's own sentence is shown. */
const reasonOf = (error: unknown): string => (isDomainError(error) ? error.message : 'internal error');

const plain = (schema: z.ZodType): Content => ({ mediaType: 'application/json', schema });

/** `login` is the discovery of `terraform login`; undefined where people cannot sign in. */
export const serviceRoutes = ({ ready, pooler }: Health, descriptions: Descriptions, login?: object): PlainRoute[] => [
  {
    method: 'get',
    path: '/healthz',
    countedAs: 'nobody',
    reference: () => ({
      operation: 'showHealth',
      summary: 'Check liveness',
      answers: { 200: plain(healthySchema) },
    }),
    handle: (exchange) => answerJson(exchange, 200, { status: 'ok' }),
  },
  {
    method: 'get',
    path: '/readyz',
    countedAs: 'nobody',
    reference: () => ({
      operation: 'showReadiness',
      summary: 'Check readiness',
      answers: { 200: plain(readySchema), 503: plain(notReadySchema) },
    }),
    handle: async (exchange) => {
      const outcome = await ready().then(
        () => ({ status: 200, body: { status: 'ready', pooler: pooler?.() } }),
        (error: unknown) => ({ status: 503, body: { status: 'not ready', reason: reasonOf(error) } }),
      );
      answerJson(exchange, outcome.status, outcome.body);
    },
  },
  {
    method: 'get',
    path: '/.well-known/terraform.json',
    countedAs: 'caller',
    reference: () => ({
      operation: 'discoverServices',
      summary: 'Discover services',
      answers: { 200: plain(discoverySchema) },
      refusals: [429],
    }),
    handle: (exchange) => answerJson(exchange, 200, { ...discovery, ...(login && { 'login.v1': login }) }),
  },
  ...(['/api/meta', '/api/v2/meta'] as const).map(
    (place): PlainRoute => ({
      method: 'get',
      path: `${place}/ip-ranges`,
      countedAs: 'caller',
      reference: () => ({
        operation: place === '/api/meta' ? 'listIpRanges' : 'listIpRangesOfApi',
        summary: 'List IP ranges of the service',
        answers: { 200: plain(ipRangesSchema) },
        refusals: [429],
      }),
      handle: (exchange) => answerJson(exchange, 200, ipRanges),
    }),
  ),
  {
    method: 'get',
    path: '/openapi.json',
    countedAs: 'caller',
    reference: () => ({
      operation: 'describeApi',
      summary: 'Show the OpenAPI description',
      headers: {
        'If-None-Match': z.string().optional().meta({ description: "The `ETag` of the client's cached copy." }),
      },
      query: { dialect: oneDialect },
      answers: { 200: { mediaType: 'application/json' }, 304: null },
      refusals: [422, 429],
    }),
    handle: (exchange) => {
      const dialect = oneDialect.safeParse(partsOf(exchange.request.originalUrl)[1].one('dialect'));
      if (!dialect.success) throw invalidParameter('dialect', 'dialect must be client or contract');
      return descriptions[dialect.data ?? 'both'].answer(exchange);
    },
  },
];

const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Compares digests, which all have one length: the time it takes reveals nothing of the token. */
const isToken = (given: string, token: string): boolean => timingSafeEqual(digestOf(given), digestOf(token));

export const metricsRoute = ({ token, contentType, text }: Scraped): PlainRoute => ({
  method: 'get',
  path: '/metrics',
  countedAs: 'scrape',
  reference: () => ({
    operation: 'showMetrics',
    summary: 'Show metrics for Prometheus',
    about:
      'Requires the token in `METRICS_TOKEN` if it is set. Without it, the endpoint is served only while the service is reachable from its own machine alone.',
    answers: { 200: { mediaType: contentType } },
    refusals: [429, 'actor/unauthenticated', 'resource/not-found'],
  }),
  handle: async (exchange) => {
    if (token !== undefined && !isToken(bearerOf(exchange.request) ?? '', token)) {
      throw new DomainError('actor/unauthenticated', 'the token in METRICS_TOKEN is required');
    }
    const body = Buffer.from(await text());
    exchange.admit({ organization: null, caller: 'scrape' });
    exchange.respond(200, { 'Content-Type': contentType }, body);
  },
});

/** Served at both mounts, with or without a token: clients read its headers only. */
export const pingRoute: PlainRoute = {
  method: 'get',
  path: '/ping',
  countedAs: 'caller',
  reference: () => ({
    operation: 'ping',
    summary: 'Show the API version in headers',
    answers: { 204: null },
    refusals: [429],
  }),
  handle: (exchange) => {
    exchange.writeHead(204).end();
  },
};
