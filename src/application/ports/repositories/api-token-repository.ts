import type {
  Actor,
  ApiToken,
  Instant,
  OrganizationId,
  OrganizationTokenKind,
  SoleTokenOwner,
  TeamId,
  TeamTokenVisibility,
  TokenId,
  TokenOwner,
  UserId,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

/** A presented token and the actor it authenticates. */
export interface Credential {
  readonly token: Pick<ApiToken, 'id' | 'expiresAt' | 'lastUsedAt'>;
  readonly actor: Actor;
  /** Whether the actor is a user with a pending invitation. */
  readonly invited: boolean;
}

/** The sort keys of a list of team tokens, by their wire names. */
export const teamTokenSorts = ['team-name', 'created-by', 'expired-at', 'last-used-at'] as const;

export interface TeamTokenSort {
  readonly key: (typeof teamTokenSorts)[number];
  readonly descending: boolean;
}

/** Tokens that never expire, or those that expire after one instant and until another. */
export type ExpiryRange = 'never' | { readonly after?: Instant | undefined; readonly until?: Instant | undefined };

export interface TeamTokenQuery {
  readonly organizationId: OrganizationId;
  readonly visibility: TeamTokenVisibility;
  /** A part of the team's name, case-insensitive; undefined for all. */
  readonly search: string | undefined;
  /** Tokens in any of the ranges; undefined for all. */
  readonly expiry?: readonly ExpiryRange[] | undefined;
  /**
   * Names are compared in lower case; `created-by` is the name of the user, team or organization that issued the token.
   */
  readonly sort: TeamTokenSort;
}

export interface TeamTokenReference {
  readonly id: TokenId;
  readonly teamId: TeamId;
}

/** A team token with the names that identify it to an operator. */
export interface IssuedTeamToken {
  readonly id: TokenId;
  readonly organizationName: string;
  readonly teamName: string;
  readonly createdBy: UserId;
}

/** One of the two tokens of an organization. */
export type OrganizationToken = ApiToken & {
  readonly owner: { readonly kind: OrganizationTokenKind; readonly id: OrganizationId };
};

export interface ApiTokenRepository {
  /** Also undefined if its owner is deleted or suspended. The caller must check expiry. One indexed statement. */
  findCredential(secretDigest: string): Promise<Credential | undefined>;
  find(id: TokenId): Promise<ApiToken | undefined>;
  findOf(owner: SoleTokenOwner): Promise<ApiToken | undefined>;
  add(token: ApiToken): Promise<void>;
  /**
   * Adds a token of a user, and returns whether it did: false if the user has `max` or more, expired ones included.
   * Concurrent calls for one user wait for each other, so that together they do not exceed `max`.
   */
  addWithin(token: ApiToken, max: number): Promise<boolean>;
  /** Does for an organization and for its auditor what `put` of `TeamTokenRepository` does for a team. */
  replace(token: OrganizationToken): Promise<void>;
  /** Returns whether it existed. */
  remove(id: TokenId): Promise<boolean>;
  /** Those of a user that sessions made. Returns their ids. */
  removeMadeInSessions(userId: UserId): Promise<readonly TokenId[]>;
  /** Those of a user that sessions made. */
  countMadeInSessions(userId: UserId): Promise<number>;
  /** Newest first. */
  pageOfUser(userId: UserId, page: PageRequest): Promise<Page<ApiToken>>;
  /** Those of any of these owners that expire after one instant and until another, the earliest first. */
  expiringOf(
    owners: readonly TokenOwner[],
    range: { readonly after: Instant; readonly until: Instant },
    limit: number,
  ): Promise<readonly ApiToken[]>;
  /** Tokens of an organization's teams. Nulls sort last in both directions; ties are ordered by id. */
  pageOfTeams(query: TeamTokenQuery, page: PageRequest): Promise<Page<ApiToken>>;
  /** Counts tokens of teams, at most `max` of each: those that have expired, and those that will by `until`. */
  countExpiring(
    now: Instant,
    until: Instant,
    max: number,
  ): Promise<{ readonly expired: number; readonly expiring: number }>;
  /** Tokens of the organization's teams that a user issued, at most `max`, ordered by id. */
  issuedBy(userId: UserId, organizationId: OrganizationId, max: number): Promise<readonly TeamTokenReference[]>;
  /**
   * Tokens of all teams issued by a user who is not a member of the organization, except for `except`: at most `max`,
   * ordered by id.
   */
  ofFormerMembers(except: UserId, max: number): Promise<readonly IssuedTeamToken[]>;
  /**
   * Tokens that act in the organization: its own, those of its teams, and those of active members. At most `max`, ordered
   * by id, with ids after `after`.
   */
  actingIn(organizationId: OrganizationId, after: TokenId, max: number): Promise<readonly ApiToken[]>;
  /** Moves `lastUsedAt` forward, never back. */
  markUsed(uses: ReadonlyMap<TokenId, Instant>): Promise<void>;
}
