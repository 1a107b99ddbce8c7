import type { Actor, Instant, Session, UserId } from '../../../domain/index.js';

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
  remove(secretDigest: string): Promise<void>;
  /** Those of a user that expired by `until`; all of them if it is omitted. */
  removeOf(userId: UserId, until?: Instant): Promise<void>;
}
