import type {
  Actor,
  EndedSession,
  InSession,
  Instant,
  LoginCode,
  Session,
  SessionId,
  SignInLink,
  TokenId,
  UserId,
} from '../../../domain/index.js';

/** A presented session and the user it authenticates. */
export interface SessionCredential {
  readonly session: Pick<Session, 'id' | 'expiresAt'>;
  readonly actor: Extract<Actor, { readonly kind: 'user' }> & { readonly session: InSession };
  /** Whether the user has a pending invitation. */
  readonly invited: boolean;
}

/** A session without its secret. */
export type ListedSession = Omit<Session, 'secretDigest'>;

/** Which sessions of a user: those that expired by then, or all but one. */
export type SessionsOf =
  | { readonly until?: never; readonly except?: never }
  | { readonly until: Instant; readonly except?: never }
  | { readonly until?: never; readonly except: SessionId };

export interface SessionRepository {
  /** Its actor is as of the session's last use. Also undefined if its user is deleted or suspended. The caller must check expiry. One indexed statement. */
  findCredential(secretDigest: string): Promise<SessionCredential | undefined>;
  /** Throws `shared/stale-revision` if the token that it is made from is removed concurrently. */
  add(session: Session): Promise<void>;
  /**
   * Adds a session that no identity signed in, and returns those that it replaces: the oldest ones, so that the user has
   * at most `max` of these. Concurrent calls, and changes of the user, wait for each other.
   */
  addWithin(session: Session, max: number): Promise<readonly EndedSession[]>;
  /** Whether a session was ever added, or an identity is linked. */
  anyEver(): Promise<boolean>;
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
  // These return what they removed.
  remove(secretDigest: string): Promise<readonly EndedSession[]>;
  /** Unless narrowed, also the user's sign-in link. */
  removeOf(userId: UserId, which?: SessionsOf): Promise<readonly EndedSession[]>;
  removeOne(userId: UserId, id: SessionId): Promise<readonly EndedSession[]>;
  /** Those that were made from the token. Also the removal of the token removes them. */
  removeMadeFrom(tokenId: TokenId): Promise<readonly EndedSession[]>;
  /** Replaces the link of the user. */
  keepLink(link: SignInLink): Promise<void>;
  /** Removes the link. One of concurrent calls gets it. The caller must check its expiry, and the user. */
  takeLink(codeDigest: string): Promise<SignInLink | undefined>;
  /** Also keeps the longest time between two uses. Never sets a use to an earlier instant. */
  markUsed(uses: ReadonlyMap<SessionId, Instant>): Promise<void>;
}
