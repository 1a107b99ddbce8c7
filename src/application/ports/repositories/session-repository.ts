import type { Actor, InSession, Instant, LoginCode, Session, SessionId, UserId } from '../../../domain/index.js';

/** A presented session and the user it authenticates. */
export interface SessionCredential {
  readonly session: Pick<Session, 'id' | 'expiresAt'>;
  readonly actor: Extract<Actor, { readonly kind: 'user' }> & { readonly session: InSession };
  /** Whether the user has a pending invitation. */
  readonly invited: boolean;
}

/** A session without its secret. */
export type ListedSession = Omit<Session, 'secretDigest'>;

/** Which sessions of a user. Each member narrows it. */
export interface SessionsOf {
  /** Those that expired by then. */
  readonly until?: Instant;
  /** All but this one. */
  readonly except?: SessionId;
}

export interface SessionRepository {
  /** Its actor is as of the session's last use. Also undefined if its user is deleted or suspended. The caller must check expiry. One indexed statement. */
  findCredential(secretDigest: string): Promise<SessionCredential | undefined>;
  add(session: Session): Promise<void>;
  /** Replaces the code of the session. */
  keepCode(code: LoginCode): Promise<void>;
  /**
   * Removes the code, and returns it with what `findCredential` returns for its session. One of concurrent
   * calls gets it. The caller must check both expiries.
   */
  takeCode(
    codeDigest: string,
  ): Promise<{ readonly code: LoginCode; readonly credential: SessionCredential } | undefined>;
  /** Those of a user that have not expired, the newest first. */
  ofUser(userId: UserId, now: Instant): Promise<readonly ListedSession[]>;
  remove(secretDigest: string): Promise<void>;
  /** Returns the number of sessions removed. */
  removeOf(userId: UserId, which?: SessionsOf): Promise<number>;
  /** Returns whether it existed. */
  removeOne(userId: UserId, id: SessionId): Promise<boolean>;
  /** Also keeps the longest time between two uses. Never sets a use to an earlier instant. */
  markUsed(uses: ReadonlyMap<SessionId, Instant>): Promise<void>;
}
