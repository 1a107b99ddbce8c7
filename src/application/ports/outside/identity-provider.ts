import type { ProvenIdentity } from '../../../domain/index.js';

/** The values that a sign-in must match on its return, kept between the two requests. */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A provider of OpenID Connect. All calls end in bounded time. */
export interface IdentityProvider {
  /** Whether the operator configured one. Without it, both methods throw `sign-in/not-configured`. */
  readonly configured: boolean;
  /** The issuer of the identities that it proves; empty if none is configured. */
  readonly issuer: string;
  /**
   * The URL at which the person signs in. With `again`, the provider asks the person even if it knows them already, and
   * is asked to say when it did. Throws `sign-in/provider-unavailable`.
   */
  begin(options?: { readonly again?: boolean }): Promise<{ readonly url: string; readonly checks: SignInChecks }>;
  /**
   * The person who signed in, from the query of the provider's redirect, as a signed ID token names them. Throws
   * `sign-in/refused` if the provider refused the person, `sign-in/not-begun` if the answer belongs to another sign-in
   * or was used before, `sign-in/provider-unavailable` if the provider does not answer or its answer is not valid.
   */
  finish(query: string, checks: SignInChecks): Promise<ProvenIdentity>;
}
