import { ContainerModule } from 'inversify';
import { buildApp } from '../../adapters/http/app.js';
import { provide } from './provide.js';
import type { Surroundings } from './surroundings.js';
import { Port } from './tokens.js';

/** How long an upload may fall silent, and how long it may take in all. */
export const uploadPatience = { idle: 30_000, total: 3_600_000 };

export const http = ({ config, publicUrl, log, ready, stopping, stopped }: Surroundings) =>
  new ContainerModule(({ bind }) => {
    provide(bind, Port.app, [Port.useCases], (use) =>
      buildApp({
        use,
        health: { ready },
        log,
        edition: config.EDITION,
        rateLimitPerSecond: config.RATE_LIMIT_PER_SECOND,
        trustedProxies: config.TRUSTED_PROXIES,
        uploadPatience,
        stopping,
        stopped,
        secure: publicUrl.startsWith('https:'),
      }),
    );
  });
