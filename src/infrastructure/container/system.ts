import { ContainerModule } from 'inversify';
import { callbackPath } from '../../adapters/http/supporting/sign-in/sign-in-routes.js';
import { noProvider } from '../../adapters/identity/no-provider.js';
import { OpenIdProvider } from '../../adapters/identity/openid-provider.js';
import { RandomIds } from '../../adapters/system/random-ids.js';
import { RandomSecrets } from '../../adapters/system/random-secrets.js';
import { SystemClock } from '../../adapters/system/system-clock.js';
import type { Dependencies } from './dependencies.js';
import { provide } from './provide.js';

export const system = ({ config, publicUrl, signingSecrets: [signingSecret] }: Dependencies) =>
  new ContainerModule(({ bind }) => {
    provide(bind, 'clock', [], () => new SystemClock());
    provide(bind, 'ids', [], () => new RandomIds(signingSecret));
    provide(bind, 'secrets', [], () => new RandomSecrets());
    provide(bind, 'identityProvider', [], () => {
      const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId = '', OIDC_CLIENT_SECRET: clientSecret = '' } = config;
      if (issuer === undefined) return noProvider;
      const redirectUri = `${publicUrl}${callbackPath}`;
      return new OpenIdProvider({ issuer, clientId, clientSecret, scopes: config.OIDC_SCOPES, redirectUri });
    });
  });
