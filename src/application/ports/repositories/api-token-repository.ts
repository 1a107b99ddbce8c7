import type {
  Actor,
  ApiToken,
  Instant,
  OrganizationId,
  TeamId,
  TeamTokenVisibility,
  TokenId,
  TokenOwner,
  UserId,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

/** A token as it was presented, and as whom its bearer acts. */
export interface Credential {
  readonly token: Pick<ApiToken, 'id' | 'expiresAt' | 'lastUsedAt'>;
  readonly actor: Actor;
  /** Whether the actor is a user with an invitation that is not accepted yet. */
  readonly invited: boolean;
}

/** What a list of team tokens may be sorted by, in the words of the wire. */
export const teamTokenSorts = ['team-name', 'created-by', 'expired-at', 'last-used-at'] as const;

export interface TeamTokenSort {
  readonly key: (typeof teamTokenSorts)[number];
  readonly descending: boolean;
}

export interface TeamTokenQuery {
  readonly organizationId: OrganizationId;
  readonly visibility: TeamTokenVisibility;
  /** Part of the team's name, in any case; undefined for all. */
  readonly search: string | undefined;
  /** Names in lower case; `created-by` is the name of the user, team or organization that issued it. */
  readonly sort: TeamTokenSort;
}

export interface TeamTokenReference {
  readonly id: TokenId;
  readonly teamId: TeamId;
}

/** A team token with the names that tell an operator which one it is. */
export interface IssuedTeamToken {
  readonly id: TokenId;
  readonly organizationName: string;
  readonly teamName: string;
  readonly createdBy: UserId;
}

export interface ApiTokenRepository {
  /** Undefined too when its owner is deleted or suspended. Expiry is the caller's to judge. One indexed statement. */
  findCredential(secretDigest: string): Promise<Credential | undefined>;
  find(id: TokenId): Promise<ApiToken | undefined>;
  /** The token of an owner that has at most one: a team, an organization, an organization's auditor. */
  findOf(owner: TokenOwner): Promise<ApiToken | undefined>;
  add(token: ApiToken): Promise<void>;
  /**
   * Adds one more token of a user, and returns whether it did: not when the user has `most` or more, expired ones included.
   * Concurrent calls for one user wait for each other, so that together they do not exceed `most`.
   */
  addWithin(token: ApiToken, most: number): Promise<boolean>;
  /**
   * Stores the token of an owner that has at most one and drops the previous one with all that is known of it: of any number
   * at once, exactly one is left. Throws `shared/stale-revision` when the owner was deleted meanwhile.
   */
  replace(token: ApiToken): Promise<void>;
  /** Whether there was one. */
  remove(id: TokenId): Promise<boolean>;
  /** Newest first. */
  pageOfUser(userId: UserId, page: PageRequest): Promise<Page<ApiToken>>;
  /** Tokens of an organization's teams. Nothing sorts last, in both directions; ties are in the order of ids. */
  pageOfTeams(query: TeamTokenQuery, page: PageRequest): Promise<Page<ApiToken>>;
  /** Tokens of teams, at most so many: those that have expired, and those that will have by `until`. */
  countExpiring(
    now: Instant,
    until: Instant,
    most: number,
  ): Promise<{ readonly expired: number; readonly expiring: number }>;
  /** Of the teams of an organization: those tokens that a user issued, at most `most`, by their ids. */
  issuedBy(userId: UserId, organizationId: OrganizationId, most: number): Promise<readonly TeamTokenReference[]>;
  /**
   * Tokens of all teams that were issued by a user who is not a member of the organization, and is not `except`: at most
   * `most`, by their ids.
   */
  ofFormerMembers(except: UserId, most: number): Promise<readonly IssuedTeamToken[]>;
  /** Moves `lastUsedAt` forward, never back. */
  markUsed(uses: ReadonlyMap<TokenId, Instant>): Promise<void>;
}
