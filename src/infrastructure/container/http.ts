import { tmpdir } from 'node:os';
import { ContainerModule } from 'inversify';
import { TemporaryFile } from '../../adapters/files/temporary-file.js';
import { buildApp } from '../../adapters/http/server/app.js';
import { MemoryBudget } from '../../adapters/http/server/memory/memory-budget.js';
import { RateLimits } from '../../adapters/http/server/rate-limit.js';
import { defaultTimeouts } from '../../adapters/http/server/timeouts.js';
import type { Scraped } from '../../adapters/http/service/service-routes.js';
import type { Exposition } from '../../adapters/metrics/exposition.js';
import { type Config, isForThisMachine } from '../config.js';
import { packageVersion } from '../package-version.js';
import type { Dependencies } from './dependencies.js';
import { provide } from './provide.js';

export const http = ({
  config,
  publicUrl,
  log,
  ready,
  pooler,
  follow,
  stopping,
  stopped,
  timeouts = defaultTimeouts,
  temporaryDir = tmpdir(),
}: Dependencies) =>
  new ContainerModule(({ bind }) => {
    provide(bind, 'rates', ['useCases'], ({ exchangeRequestRates }) =>
      // A SQLite file has a single service.
      config.DATABASE_URL === undefined
        ? new RateLimits()
        : new RateLimits((demand) => exchangeRequestRates.execute(demand)),
    );
    provide(bind, 'memory', [], () => new MemoryBudget());
    provide(
      bind,
      'app',
      ['useCases', 'rates', 'meters', 'exposition', 'memory'],
      (use, rates, meter, exposition, memory) =>
        buildApp({
          use,
          health: { ready, pooler },
          log,
          meter,
          scraped: scrapedBy(config, exposition),
          follow,
          edition: config.EDITION,
          version: packageVersion(),
          rates,
          rateLimitPerSecond: config.RATE_LIMIT_PER_SECOND,
          trustedProxies: config.TRUSTED_PROXIES,
          timeouts,
          memory,
          openFile: () => TemporaryFile.make(temporaryDir),
          stopping,
          stopped,
          browsers: { signIn: config.OIDC_ISSUER !== undefined, publicUrl },
        }),
    );
  });

/** Undefined if unauthenticated clients could read it. */
function scrapedBy(config: Config, exposition: Exposition): Scraped | undefined {
  const { METRICS_TOKEN: token } = config;
  if (token === undefined && !isForThisMachine(config)) return undefined;
  return { token, contentType: exposition.contentType, text: () => exposition.text() };
}
