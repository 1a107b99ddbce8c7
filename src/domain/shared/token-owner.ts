import type { OrganizationId, TeamId, UserId } from './id.js';

/** The owner of a token; its bearer acts as this owner. */
export type TokenOwner =
  | { readonly kind: 'user'; readonly id: UserId }
  | { readonly kind: 'team'; readonly id: TeamId }
  | { readonly kind: 'organization'; readonly id: OrganizationId }
  /** The organization's audit token, which can only read the audit trail. */
  | { readonly kind: 'auditor'; readonly id: OrganizationId };

/** The token kinds of an organization, which has at most one token of each. */
export type OrganizationTokenKind = Extract<TokenOwner, { readonly id: OrganizationId }>['kind'];
