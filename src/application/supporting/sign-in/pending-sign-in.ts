import { DomainError, type Instant, later, type SessionId } from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdentityProvider, SignInChecks } from '../../ports/outside/identity-provider.js';
import { openedWith, type SecretBox } from '../../ports/outside/secret-box.js';

/** The purpose of the person's answer. A link belongs to the session that began it. */
export type SignInPurpose =
  | { readonly kind: 'sign-in' }
  /** The person signs in again with an identity that they have, no earlier than `since`. */
  | { readonly kind: 'confirm-link'; readonly sessionId: SessionId; readonly since: Instant }
  /** The identity with which the person signs in is added. */
  | { readonly kind: 'link'; readonly sessionId: SessionId };

/** A sign-in that a browser has begun. The browser keeps it, sealed: the service stores nothing of it. */
export interface PendingSignIn extends SignInChecks {
  /** Tells it from other sealed texts. */
  readonly kind: 'pending-sign-in';
  readonly purpose: SignInPurpose;
  readonly returnTo: string;
  readonly expiresAt: Instant;
}

/** The URL to send the browser to, and the sealed text that it must bring back in this time. */
export interface BegunSignIn {
  readonly url: string;
  readonly sealed: string;
  readonly seconds: number;
}

/** In seconds. Long enough to find a second factor. */
const maxPending = 600;

/** Sign-ins at the provider, between the request that begins one and the answer. */
export class PendingSignIns {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly clock: Clock,
    private readonly box: SecretBox,
  ) {}

  /** Throws `sign-in/not-configured` and `sign-in/provider-unavailable`. */
  async begin(purpose: SignInPurpose, returnTo: string): Promise<BegunSignIn> {
    const { url, checks } = await this.provider.begin({ again: purpose.kind !== 'sign-in' });
    const expiresAt = later(this.clock.now(), maxPending);
    const pending: PendingSignIn = { kind: 'pending-sign-in', ...checks, purpose, returnTo, expiresAt };
    return { url, sealed: this.box.seal(JSON.stringify(pending)), seconds: maxPending };
  }

  /** Throws `sign-in/not-begun` unless it was sealed here and is still valid. */
  open(sealed: string | undefined): PendingSignIn {
    const text = sealed && openedWith(this.box, sealed);
    if (!text?.startsWith('{"kind":"pending-sign-in"')) throw notBegun();
    const pending: PendingSignIn = JSON.parse(text);
    if (pending.expiresAt <= this.clock.now()) throw notBegun();
    return pending;
  }
}

const notBegun = (): DomainError =>
  new DomainError(
    'sign-in/not-begun',
    'This sign-in was not begun in this browser, or it took too long. Begin again from the page that you came from.',
  );
