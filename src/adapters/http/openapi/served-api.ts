import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { UseCases } from '../../../application/use-cases.js';
import { bundleRoutes } from '../files/bundle-routes.js';
import { type Dialect, dialects, type Edition, inEdition } from '../routing/dialect.js';
import {
  type Descriptions,
  type Health,
  metricsRoute,
  pingRoute,
  type Scraped,
  serviceRoutes,
} from '../service/service-routes.js';
import { agentRoutes } from '../supporting/agents/agent-api-routes.js';
import { agentFileRoutes } from '../supporting/agents/agent-file-routes.js';
import { agentTrialRoutes } from '../supporting/agents/agent-trial-routes.js';
import { sharedStateRoutes } from '../supporting/agents/shared-state-routes.js';
import { taskCallbackRoute, taskFileRoutes } from '../supporting/run-tasks/task-callback-routes.js';
import { logRoutes } from '../supporting/runs/log-routes.js';
import type { Browsers } from '../supporting/sign-in/browser.js';
import { loginRoutes, loginService } from '../supporting/sign-in/login-routes.js';
import { signInRoutes } from '../supporting/sign-in/sign-in-routes.js';
import { webhookRoutes } from '../supporting/version-control/webhook-routes.js';
import { KeptContent } from '../web/kept-content.js';
import { type OpenApi, openApiDocument, type RecordedExamples, type ServedApi } from './openapi.js';
import { routesByArea } from './routes.js';

/** The parts that report on the service itself. */
interface OfTheService {
  readonly health: Health;
  readonly descriptions: Descriptions;
  /** Without it there is no `/metrics`. */
  readonly scraped: Scraped | undefined;
  readonly browsers: Browsers;
}

/** Recorded by `npm run examples`: requests and responses of the service in its tests. */
const recordedExamples = (): RecordedExamples =>
  z
    .record(z.string(), z.unknown())
    .parse(JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8')));

/** The whole API of an edition of the service. */
export const servedApi = (
  use: UseCases,
  edition: Edition,
  { health, descriptions, scraped, browsers }: OfTheService,
): ServedApi => ({
  dialects: dialects.map((dialect) => ({
    name: dialect.name,
    prefix: dialect.prefix,
    areas: routesByArea(use, inEdition(dialect, edition)),
  })),
  atEachMount: [
    { area: 'Service', routes: [pingRoute] },
    { area: 'Run tasks', routes: [taskCallbackRoute(use)] },
  ],
  plain: [
    {
      area: 'Service',
      routes: [
        ...serviceRoutes(health, descriptions, browsers.signIn ? loginService : undefined),
        ...(scraped === undefined ? [] : [metricsRoute(scraped)]),
      ],
    },
    { area: 'Files and logs', routes: [...bundleRoutes(use), ...logRoutes(use), ...sharedStateRoutes(use)] },
    { area: 'Run tasks', routes: taskFileRoutes(use) },
    { area: 'Version control', routes: webhookRoutes(use) },
    {
      area: 'Sign-in',
      routes: [...signInRoutes(use, browsers), ...(browsers.signIn ? loginRoutes(use, browsers) : [])],
    },
  ],
  agents: { area: 'Agents', routes: [...agentRoutes(use), ...agentFileRoutes(use), ...agentTrialRoutes(use)] },
});

const nothing = new KeptContent('application/json', () => new Uint8Array());

/** To be described, not served: its use cases are never called. */
const unserved = (edition: Edition): ServedApi =>
  servedApi({} as UseCases, edition, {
    health: { ready: async () => {} },
    descriptions: { both: nothing, client: nothing, contract: nothing },
    scraped: { token: undefined, contentType: 'text/plain; version=0.0.4; charset=utf-8', text: async () => '' },
    browsers: { signIn: true, publicUrl: 'https://gatehouse.example' },
  });

/** The OpenAPI description of an edition of the service, with both dialects or one. Slow: keep the result. */
export const describeApi = (edition: Edition, version: string, only?: Dialect['name']): Promise<OpenApi> => {
  const api = unserved(edition);
  const described = api.dialects.filter(({ name }) => only === undefined || name === only);
  return openApiDocument({ ...api, dialects: described }, version, recordedExamples());
};
