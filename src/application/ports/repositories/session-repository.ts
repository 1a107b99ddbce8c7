import type { Actor, Instant, LoginCode, Session, UserId } from '../../../domain/index.js';

/** A presented session and the user it authenticates. */
export interface SessionCredential {
  readonly session: Pick<Session, 'id' | 'expiresAt'>;
  readonly actor: Extract<Actor, { readonly kind: 'user' }>;
  /** Whether the user has a pending invitation. */
  readonly invited: boolean;
}

export interface SessionRepository {
  /** Also undefined if its user is deleted or suspended. The caller must check expiry. One indexed statement. */
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
  remove(secretDigest: string): Promise<void>;
  /** Those of a user that expired by `until`; all of them if it is omitted. */
  removeOf(userId: UserId, until?: Instant): Promise<void>;
}
