import { ContainerModule } from 'inversify';
import { buildApp } from '../../adapters/http/app.js';
import { usualPatience } from '../../adapters/http/http-server.js';
import { RateLimits } from '../../adapters/http/rate-limit.js';
import { ExchangeRequestRates } from '../../application/index.js';
import { provide } from './provide.js';
import type { Surroundings } from './surroundings.js';
import { Port } from './tokens.js';

export const http = ({ config, publicUrl, log, ready, stopping, stopped, patience = usualPatience }: Surroundings) =>
  new ContainerModule(({ bind }) => {
    provide(bind, Port.rates, [ExchangeRequestRates], (exchange) =>
      // Nobody else serves from a SQLite file.
      config.DATABASE_URL === undefined ? new RateLimits() : new RateLimits((demand) => exchange.execute(demand)),
    );
    provide(bind, Port.app, [Port.useCases, Port.rates], (use, rates) =>
      buildApp({
        use,
        health: { ready },
        log,
        edition: config.EDITION,
        rates,
        rateLimitPerSecond: config.RATE_LIMIT_PER_SECOND,
        trustedProxies: config.TRUSTED_PROXIES,
        patience,
        stopping,
        stopped,
        secure: publicUrl.startsWith('https:'),
      }),
    );
  });
