import { agentRoutes } from '../agents/agent-api-routes.js';
import { agentFileRoutes } from '../agents/agent-file-routes.js';
import { bundleRoutes } from '../configuration-versions/bundle-routes.js';
import { dialects, type Edition, inEdition } from '../dialect.js';
import { usualPatience } from '../http-server.js';
import type { HttpMeter } from '../observation.js';
import { routesByArea } from '../routes.js';
import { logRoutes } from '../runs/log-routes.js';
import { metricsRoute, pingRoute, serviceRoutes } from '../service/service-routes.js';
import type { UseCases } from '../use-cases.js';
import { webhookRoutes } from '../version-control/webhook-routes.js';
import { KeptContent } from '../web/kept-content.js';
import { type OpenApi, openApiDocument } from './openapi.js';

/** The tables are made anew, to be looked at and not to be served: nobody calls what stands behind them. */
const nobody = {} as UseCases;
const unmeasured = {} as HttpMeter;
const nothing = new KeptContent('application/json', () => new Uint8Array());
const never = new AbortController().signal;

/** The description of what an edition of the service serves to programs. Takes a while: it is to be kept. */
export const describeApi = (edition: Edition, version: string): OpenApi =>
  openApiDocument({
    version,
    dialects: dialects.map((dialect) => ({
      prefix: dialect.prefix,
      areas: routesByArea(nobody, inEdition(dialect, edition)),
    })),
    atEachMount: [{ area: 'Service', routes: [pingRoute] }],
    plain: [
      {
        area: 'Service',
        routes: [
          ...serviceRoutes({ ready: async () => {} }, nothing),
          metricsRoute({
            token: undefined,
            contentType: 'text/plain; version=0.0.4; charset=utf-8',
            text: async () => '',
          }),
        ],
      },
      {
        area: 'Files and logs',
        routes: [...bundleRoutes(nobody, usualPatience, never, unmeasured), ...logRoutes(nobody)],
      },
      { area: 'Version control', routes: webhookRoutes(nobody) },
    ],
    agents: {
      area: 'Agents',
      routes: [...agentRoutes(nobody, never), ...agentFileRoutes(nobody, usualPatience, never, unmeasured)],
    },
  });
