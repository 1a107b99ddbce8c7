import { type Instant, later, type SessionId, type UserId } from '../../shared/id.js';

/** A person signed in with a browser. Its secret, in a cookie, is shown once and never stored. */
export interface Session {
  readonly id: SessionId;
  readonly userId: UserId;
  /** SHA-256 of the secret, lower-case hexadecimal. */
  readonly secretDigest: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

export const startSession = (given: Omit<Session, 'expiresAt'>, hours: number): Session => ({
  ...given,
  expiresAt: later(given.createdAt, hours * 3_600),
});

/** A session is refused from its expiry instant on. */
export const hasEnded = ({ expiresAt }: Pick<Session, 'expiresAt'>, now: Instant): boolean => expiresAt <= now;
