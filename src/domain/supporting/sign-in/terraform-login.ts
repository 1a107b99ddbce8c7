import type { Instant } from '../../shared/id.js';
import type { Session } from './session.js';

/** How the terraform command asks a person for a token, as service discovery advertises it. */
export const terraformLogin = {
  client: 'terraform-cli',
  /** The first and the last port on which the command listens for the answer. */
  ports: [10_000, 10_010],
  /** A code is redeemed within this time. */
  codeSeconds: 60,
  /** The lifetime of the token, unless an organization of the person allows less. */
  tokenDays: 30,
} as const;

/** The answer to a consent, which the command redeems once for a token. It belongs to the session of the consent. */
export interface LoginCode {
  readonly sessionId: Session['id'];
  /** SHA-256 of the code, lower-case hexadecimal. */
  readonly codeDigest: string;
  /** SHA-256 of the verifier that redeems it, lower-case hexadecimal. */
  readonly challenge: string;
  readonly redirectUri: string;
  readonly expiresAt: Instant;
}

/** The port of a redirect URI; undefined unless it is exactly one that the command listens at. */
export function loginPortOf(redirectUri: string): number | undefined {
  const port = Number(/^http:\/\/localhost:([1-9]\d{1,4})\/login$/.exec(redirectUri)?.[1]);
  const [first, last] = terraformLogin.ports;
  return port >= first && port <= last ? port : undefined;
}
