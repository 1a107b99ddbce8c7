import { DomainError } from '../../shared/domain-error.js';
import { type IdentityId, type Instant, later, type SessionId, secondsBetween, type UserId } from '../../shared/id.js';

/** A person signed in with a browser. Its secret, in a cookie, is shown once and never stored. */
export interface Session {
  readonly id: SessionId;
  readonly userId: UserId;
  /** SHA-256 of the secret, lower-case hexadecimal. */
  readonly secretDigest: string;
  /** The identity that signed in; null if the session was made in another way. */
  readonly identityId: IdentityId | null;
  /** When the person signed in. */
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  /** Null until first used; accurate to within a minute. */
  readonly lastUsedAt: Instant | null;
  /** The longest time between two recorded uses, in seconds. An organization may refuse a session that was idle once. */
  readonly longestIdle: number;
}

/** The session after a recorded use. */
export function usedAt<Used extends Pick<Session, 'createdAt' | 'lastUsedAt' | 'longestIdle'>>(
  session: Used,
  now: Instant,
): Used {
  const idle = secondsBetween(session.lastUsedAt ?? session.createdAt, now);
  return { ...session, lastUsedAt: now, longestIdle: Math.max(session.longestIdle, idle) };
}

export const startSession = (
  given: Omit<Session, 'expiresAt' | 'lastUsedAt' | 'longestIdle'>,
  hours: number,
): Session => ({
  ...given,
  lastUsedAt: null,
  longestIdle: 0,
  expiresAt: later(given.createdAt, hours * 3_600),
});

/** A session is refused from its expiry instant on. */
export const hasEnded = ({ expiresAt }: Pick<Session, 'expiresAt'>, now: Instant): boolean => expiresAt <= now;

/** A session makes a user token, which outlives it, only this long after its person signed in. */
export const freshMinutes = 15;

export const isFresh = ({ createdAt }: Pick<Session, 'createdAt'>, now: Instant): boolean =>
  now <= later(createdAt, freshMinutes * 60);

/** Throws `sign-in/too-old`. */
export function checkFresh(session: Pick<Session, 'createdAt'>, now: Instant): void {
  if (isFresh(session, now)) return;
  throw new DomainError(
    'sign-in/too-old',
    `a session makes a user token only within ${freshMinutes} minutes after the sign-in. Sign in again, and repeat the request`,
  );
}
