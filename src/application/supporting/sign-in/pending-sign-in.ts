import { DomainError, type Instant, later, type UserId } from '../../../domain/index.js';
import type { SignInChecks } from '../../ports/outside/identity-provider.js';
import { openedWith, type SecretBox } from '../../ports/outside/secret-box.js';

/** A sign-in that a browser has begun. The browser keeps it, sealed: the service stores nothing of it. */
export interface PendingSignIn extends SignInChecks {
  /** Tells it from other sealed texts. */
  readonly kind: 'pending-sign-in';
  /** The user that the identity is linked to; null if the person signs in. */
  readonly linkTo: UserId | null;
  readonly returnTo: string;
  readonly expiresAt: Instant;
}

/** In seconds. Long enough to find a second factor. */
export const mostPending = 600;

export const pendingUntil = (now: Instant): Instant => later(now, mostPending);

const notBegun = (): DomainError =>
  new DomainError(
    'sign-in/not-begun',
    'This sign-in was not begun in this browser, or it took too long. Begin again from the page that you came from.',
  );

/** Throws `sign-in/not-begun` unless it was sealed here and is still valid. */
export function openPending(box: SecretBox, sealed: string | undefined, now: Instant): PendingSignIn {
  const text = sealed && openedWith(box, sealed);
  if (!text?.startsWith('{"kind":"pending-sign-in"')) throw notBegun();
  const pending: PendingSignIn = JSON.parse(text);
  if (pending.expiresAt <= now) throw notBegun();
  return pending;
}
