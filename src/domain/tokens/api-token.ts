import { invalidAttribute } from '../shared/domain-error.js';
import type { Instant, TokenId } from '../shared/id.js';
import type { TokenOwner } from '../shared/token-owner.js';

/** The stored part of a token. The secret is shown once and never stored. */
export interface ApiToken {
  readonly id: TokenId;
  readonly owner: TokenOwner;
  /** SHA-256 of the secret, lower-case hexadecimal. */
  readonly secretDigest: string;
  /** Null for an owner's only token. */
  readonly description: string | null;
  readonly createdBy: TokenOwner | null;
  /** Whether a session made it, or a token that a session made. */
  readonly madeInSession: boolean;
  readonly createdAt: Instant;
  /** Null if it never expires. */
  readonly expiresAt: Instant | null;
  /** Null until first used; accurate to within a minute. */
  readonly lastUsedAt: Instant | null;
}

/** A new token. Throws `attribute/invalid` if it would already be expired. */
export function issueToken(given: Omit<ApiToken, 'lastUsedAt'>): ApiToken {
  checkExpiry(given);
  return Object.freeze({ ...given, lastUsedAt: null });
}

/** Throws `attribute/invalid` for a new token that would already be expired. */
export function checkExpiry(given: Pick<ApiToken, 'createdAt' | 'expiresAt'>): void {
  if (!hasExpired(given, given.createdAt)) return;
  throw invalidAttribute('expiredAt', 'Expired at must be in the future');
}

/** A token is refused from its expiry instant on. */
export const hasExpired = (token: Pick<ApiToken, 'expiresAt'>, now: Instant): boolean =>
  token.expiresAt !== null && token.expiresAt <= now;
