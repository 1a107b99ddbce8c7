import type { Actor } from '../../authorization/actor.js';
import { DomainError, invalidAttribute } from '../../shared/domain-error.js';
import {
  type IdentityId,
  type Instant,
  later,
  type SessionId,
  secondsBetween,
  type TokenId,
  type UserId,
} from '../../shared/id.js';
import type { User } from '../users/user.js';
import { refusedSignIn } from './identity.js';

/** A person signed in with a browser. Its secret, in a cookie, is shown once and never stored. */
export interface Session {
  readonly id: SessionId;
  readonly userId: UserId;
  /** SHA-256 of the secret, lower-case hexadecimal. */
  readonly secretDigest: string;
  /** The identity that signed in; null if the session was made from a token or by a sign-in link. */
  readonly identityId: IdentityId | null;
  /** The token that the session was made from, with which it ends. */
  readonly tokenId: TokenId | null;
  /** When the person signed in. */
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  /** Null until first used; accurate to within a minute. */
  readonly lastUsedAt: Instant | null;
  /** The longest time between two recorded uses, in seconds that have begun. An organization may refuse a session that was idle once. */
  readonly longestIdle: number;
}

/** The session after a recorded use. */
export function usedAt<Used extends Pick<Session, 'createdAt' | 'lastUsedAt' | 'longestIdle'>>(
  session: Used,
  now: Instant,
): Used {
  // A limit of whole seconds is exceeded by the seconds that have begun exactly when it is by the time itself.
  const idle = Math.ceil(secondsBetween(session.lastUsedAt ?? session.createdAt, now));
  return { ...session, lastUsedAt: now, longestIdle: Math.max(session.longestIdle, idle) };
}

/** `expiresAt` is that of the token it is made from. */
export function startSession(
  given: Omit<Session, 'expiresAt' | 'lastUsedAt' | 'longestIdle'>,
  hours: number,
  expiresAt: Instant | null = null,
): Session {
  const end = later(given.createdAt, hours * 3_600);
  return {
    ...given,
    lastUsedAt: null,
    longestIdle: 0,
    expiresAt: expiresAt !== null && expiresAt < end ? expiresAt : end,
  };
}

/** The largest number of sessions of a user that no identity signed in. */
export const maxSessionsWithoutIdentity = 20;

/** A removed session, and the token that it was made from. */
export type EndedSession = Pick<Session, 'id' | 'tokenId'>;

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

/** Throws `attribute/invalid` for a token that would outlive the one that the caller's session was made from. */
export function checkOutlived(actor: Actor, expiresAt: Instant | null): void {
  const end = endOfToken(actor);
  if (end === null || (expiresAt !== null && expiresAt <= end)) return;
  throw invalidAttribute(
    'expiredAt',
    `Expired at must be at most ${end}: then the token expires with which you signed in, and a session makes none that outlives it`,
  );
}

/** Throws `sign-in/refused` where the caller's session was made from a token that expires, since the new token never does. */
export function checkLasting(actor: Actor): void {
  const end = endOfToken(actor);
  if (end === null) return;
  throw refusedSignIn(
    `the new token would never expire, and the token with which you signed in does, at ${end}. Sign in with one that does not expire`,
  );
}

function endOfToken(actor: Actor): Instant | null {
  const from = actor.kind === 'user' ? actor.session?.signedInWith : undefined;
  return from?.kind === 'token' ? from.expiresAt : null;
}

/** An operator signs a user in with it, once. The code is shown once, and never stored. */
export interface SignInLink {
  readonly userId: UserId;
  /** SHA-256 of the code, lower-case hexadecimal. */
  readonly codeDigest: string;
  readonly expiresAt: Instant;
}

/** A link is redeemed within this time. */
export const signInLinkSeconds = 600;

/** Separates the secret of a link's code from the username, so that the page can name the user before the link is used. */
const beforeUsername = '~';

/** Its digest covers the username: a code with another one is unknown. */
export const signInCodeOf = (secret: string, { username }: Pick<User, 'username'>): string =>
  `${secret}${beforeUsername}${username}`;
