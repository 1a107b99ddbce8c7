import type { IdentityProvider } from '../../application/index.js';
import { DomainError } from '../../domain/index.js';

const notConfigured = async (): Promise<never> => {
  throw new DomainError(
    'sign-in/not-configured',
    'Sign-in is not possible here: the operator has not set OIDC_ISSUER. Use a token.',
  );
};

/** For a service without an identity provider. */
export const noProvider: IdentityProvider = {
  configured: false,
  issuer: '',
  begin: notConfigured,
  finish: notConfigured,
};
