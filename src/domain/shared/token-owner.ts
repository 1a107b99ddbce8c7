import type { OrganizationId, TeamId, UserId } from './id.js';

/** The owner of a token; its bearer acts as this owner. */
export type TokenOwner =
  | { readonly kind: 'user'; readonly id: UserId }
  | { readonly kind: 'team'; readonly id: TeamId }
  | { readonly kind: 'organization'; readonly id: OrganizationId }
  /** The organization's audit token, which can only read the audit trail. */
  | { readonly kind: 'auditor'; readonly id: OrganizationId };

/** How many tokens an owner of each kind can have. An only token has no description, and the next one replaces it. */
export const tokensPerOwner = {
  user: 'many',
  team: 'one',
  organization: 'one',
  auditor: 'one',
} as const satisfies Record<TokenOwner['kind'], 'one' | 'many'>;

type SoleKind = {
  [Kind in TokenOwner['kind']]: (typeof tokensPerOwner)[Kind] extends 'one' ? Kind : never;
}[TokenOwner['kind']];

/** An owner that can have one token of its kind. */
export type SoleTokenOwner = Extract<TokenOwner, { readonly kind: SoleKind }>;

/** The token kinds of an organization. */
export type OrganizationTokenKind = Extract<TokenOwner, { readonly id: OrganizationId }>['kind'];
