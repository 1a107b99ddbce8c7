import type { OrganizationId, TeamId, UserId } from './id.js';

/** Whose token it is, and so as whom its bearer acts. */
export type TokenOwner =
  | { readonly kind: 'user'; readonly id: UserId }
  | { readonly kind: 'team'; readonly id: TeamId }
  | { readonly kind: 'organization'; readonly id: OrganizationId }
  /** The organization's audit token, which reads its audit trail and nothing else. */
  | { readonly kind: 'auditor'; readonly id: OrganizationId };

/** An organization's tokens, of each of which it has at most one. */
export type OrganizationTokenKind = Extract<TokenOwner, { readonly id: OrganizationId }>['kind'];
