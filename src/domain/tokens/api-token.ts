import { invalidAttribute } from '../shared/domain-error.js';
import type { Instant, TokenId } from '../shared/id.js';
import type { TokenOwner } from '../shared/token-owner.js';

/** What is kept of a token. The secret itself is shown once and never kept. */
export interface ApiToken {
  readonly id: TokenId;
  readonly owner: TokenOwner;
  /** SHA-256 of the secret, lower-case hexadecimal. */
  readonly secretDigest: string;
  /** Null on tokens that are one of their kind: a team's, an organization's, an auditor's. */
  readonly description: string | null;
  readonly createdBy: TokenOwner | null;
  readonly createdAt: Instant;
  /** Null: never. */
  readonly expiresAt: Instant | null;
  /** Null until first used; true to within a minute. */
  readonly lastUsedAt: Instant | null;
}

/** A token as it is issued. Throws `attribute/invalid` when it would be expired from the start. */
export function issueToken(given: Omit<ApiToken, 'lastUsedAt'>): ApiToken {
  if (given.expiresAt !== null && given.expiresAt <= given.createdAt) {
    throw invalidAttribute('expiredAt', 'Expired at must be in the future');
  }
  return Object.freeze({ ...given, lastUsedAt: null });
}

/** A token that expires at an instant is refused from that instant on. */
export const hasExpired = (token: Pick<ApiToken, 'expiresAt'>, now: Instant): boolean =>
  token.expiresAt !== null && token.expiresAt <= now;
