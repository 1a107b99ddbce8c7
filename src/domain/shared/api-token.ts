import { invalidAttribute } from './domain-error.js';
import type { Instant, OrganizationId, TeamId, TokenId, UserId } from './id.js';

/** Whose token it is, and so as whom its bearer acts. */
export type TokenOwner =
  | { readonly kind: 'user'; readonly id: UserId }
  | { readonly kind: 'team'; readonly id: TeamId }
  | { readonly kind: 'organization'; readonly id: OrganizationId }
  /** The organization's audit token, which reads its audit trail and nothing else. */
  | { readonly kind: 'auditor'; readonly id: OrganizationId };

/** An organization's tokens, of each of which it has at most one. */
export type OrganizationTokenKind = Extract<TokenOwner, { readonly id: OrganizationId }>['kind'];

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
    throw invalidAttribute('expired-at', 'Expired at must be in the future');
  }
  return Object.freeze({ ...given, lastUsedAt: null });
}

/** A token that expires at an instant is refused from that instant on. */
export const hasExpired = (token: Pick<ApiToken, 'expiresAt'>, now: Instant): boolean =>
  token.expiresAt !== null && token.expiresAt <= now;
