import type { OrganizationId, TeamId, TokenId, UserId } from '../shared/id.js';
import type { TokenOwner } from '../shared/token-owner.js';
import { type Action, may, type Standing } from './policy.js';

/** How a request came, for the audit trail. */
export interface RequestTrace {
  readonly id: string;
  /** Where it came from; null when nobody knows any more. */
  readonly address: string | null;
  /** Its method and the pattern of its path: `DELETE /teams/:id`. The path itself may be a secret. */
  readonly route: string;
}

/** Who asks, as their token says. */
export type Actor = { readonly tokenId: TokenId; readonly request?: RequestTrace } & (
  | { readonly kind: 'user'; readonly userId: UserId; readonly siteAdministrator: boolean }
  | { readonly kind: 'team'; readonly teamId: TeamId; readonly organizationId: OrganizationId }
  | { readonly kind: 'organization'; readonly organizationId: OrganizationId }
  | { readonly kind: 'auditor'; readonly organizationId: OrganizationId }
);

/** The actor as a name to record: who created, who holds the lock. */
export function identityOf(actor: Actor): TokenOwner {
  switch (actor.kind) {
    case 'user':
      return { kind: 'user', id: actor.userId };
    case 'team':
      return { kind: 'team', id: actor.teamId };
    case 'organization':
    case 'auditor':
      return { kind: actor.kind, id: actor.organizationId };
  }
}

/**
 * The creator of something, to ask ports what it may do now, without a token. Null for an organization, whose tokens
 * create nothing that is asked about later. Of a team, its id alone says which organization it is of.
 */
export function actingFor(creator: TokenOwner): Actor | null {
  switch (creator.kind) {
    case 'user':
      return { kind: 'user', userId: creator.id, siteAdministrator: false, tokenId: '' };
    case 'team':
      return { kind: 'team', teamId: creator.id, organizationId: '', tokenId: '' };
    case 'organization':
    case 'auditor':
      return null;
  }
}

/** Whether the actor is this user, by a token of the user's own. */
export const isUser = (actor: Actor, id: UserId): boolean => actor.kind === 'user' && actor.userId === id;

/** The standing of an actor where no organization is in question. `own` says whether the subject is the actor's own. */
export const standingOnSite = (actor: Actor, own = false): Standing => ({
  actor: actor.kind,
  siteAdministrator: actor.kind === 'user' && actor.siteAdministrator,
  member: false,
  teams: [],
  own,
});

/** The standing of an audit token towards an organization: `own` says whether it is the token's own. */
export const auditorStanding = (own: boolean): Standing => ({
  actor: 'auditor',
  siteAdministrator: false,
  member: false,
  teams: [],
  audits: own,
});

/**
 * Whether the actor may reach endpoints of this action at all. Null is an action that any token may do, except an audit
 * token: what the policy does not grant it explicitly does not exist for it.
 */
export const isOpenTo = (actor: Actor, action: Action | null): boolean =>
  actor.kind !== 'auditor' || (action !== null && may(auditorStanding(true), action));
