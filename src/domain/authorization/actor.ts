import {
  type Instant,
  type OrganizationId,
  type SessionId,
  secondsBetween,
  type TeamId,
  type TokenId,
  type UserId,
} from '../shared/id.js';
import type { TokenOwner } from '../shared/token-owner.js';
import type { Entry } from './entry.js';
import { type Action, may } from './policy.js';
import type { Standing } from './standing.js';

/** The origin of a request, for the audit trail. */
export interface RequestTrace {
  readonly id: string;
  /** The client's IP address; null if it is no longer known. */
  readonly address: string | null;
  /** The method and the path pattern: `DELETE /teams/:id`. The path itself may contain a secret. */
  readonly route: string;
}

/** The means by which a person signed in. */
export type SignedInWith =
  | { readonly kind: 'identity' | 'link' }
  | { readonly kind: 'token'; readonly id: TokenId; readonly expiresAt: Instant | null };

/** The session that authenticated a request. */
export interface InSession {
  readonly signedInWith: SignedInWith;
  /** When the person signed in. */
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | null;
  /** The longest time between two recorded uses, in seconds. */
  readonly longestIdle: number;
  /** When the request was authenticated. */
  readonly at: Instant;
}

/** The caller, as identified by its token or, for a user in a browser, by its session. */
export type Actor = { readonly tokenId: TokenId | SessionId; readonly request?: RequestTrace } & (
  | {
      readonly kind: 'user';
      readonly userId: UserId;
      readonly siteAdministrator: boolean;
      /** Undefined for a token. */
      readonly session?: InSession;
      /** Whether a session made the token, or a token that a session made. */
      readonly madeInSession?: boolean;
    }
  | { readonly kind: 'team'; readonly teamId: TeamId; readonly organizationId: OrganizationId }
  | { readonly kind: 'organization'; readonly organizationId: OrganizationId }
  | { readonly kind: 'auditor'; readonly organizationId: OrganizationId }
);

/** The actor as recorded in created-by and lock-holder fields. */
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
 * The creator as an actor without a token, to check its current rights through the ports. Null for an organization,
 * since nothing its token creates is checked again later. A team's organization follows from its id.
 */
export function actingFor(creator: Extract<TokenOwner, { readonly kind: 'user' | 'team' }>): Actor;
export function actingFor(creator: TokenOwner): Actor | null;
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

/** Whether the actor authenticates as this user, with one of the user's own tokens. */
export const isUser = (actor: Actor, id: UserId): boolean => actor.kind === 'user' && actor.userId === id;

/** The standing of an actor outside any organization. `own` is true if the subject is the actor's own. */
export const standingOnSite = (actor: Actor, own = false): Standing => ({
  actor: actor.kind,
  siteAdministrator: actor.kind === 'user' && actor.siteAdministrator,
  member: false,
  teams: [],
  own,
});

/** The standing of an audit token in an organization. `own` is true if the token belongs to that organization. */
export const auditorStanding = (own: boolean): Standing => ({
  actor: 'auditor',
  siteAdministrator: false,
  member: false,
  teams: [],
  isAuditor: own,
});

/** The standing of a token that belongs to the organization itself, in that organization. */
export const standingInOwn = (actor: Extract<Actor, { readonly kind: 'organization' | 'auditor' }>): Standing =>
  actor.kind === 'auditor' ? auditorStanding(true) : { ...standingOnSite(actor), member: true };

/** The standing of a run towards another workspace of its organization. */
export const runStanding = (sharesState: boolean): Standing => ({
  actor: 'run',
  siteAdministrator: false,
  member: false,
  teams: [],
  sharesState,
});

/**
 * Whether the actor may reach endpoints of this action at all. A null action is open to every token except an audit
 * token, for which anything the policy does not grant explicitly does not exist.
 */
export const isOpenTo = (actor: Actor, action: Action | null): boolean =>
  actor.kind !== 'auditor' || (action !== null && may(auditorStanding(true), action));

/**
 * Undefined for those whom no organization bars: site administrators, and creators whose rights are checked again
 * without a token.
 */
export function entryOf(actor: Extract<Actor, { readonly kind: 'user' }>): Entry | undefined {
  if (actor.siteAdministrator || actor.tokenId === '') return undefined;
  const { session } = actor;
  if (session === undefined) return { withToken: true, idle: 0, age: 0 };
  const { at, createdAt, lastUsedAt, longestIdle, signedInWith } = session;
  return {
    withToken: signedInWith.kind !== 'identity',
    idle: Math.max(longestIdle, secondsBetween(lastUsedAt ?? createdAt, at)),
    age: secondsBetween(createdAt, at),
  };
}
