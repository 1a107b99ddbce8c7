import type {
  Actor,
  Agent,
  AgentPool,
  AgentPoolId,
  AgentToken,
  Instant,
  OrganizationId,
  TokenId,
  TokenOwner,
  WithStanding,
} from '../../../domain/index.js';
import type { AgentPoolFilter } from './filters.js';
import type { Page, PageRequest } from './page.js';

export interface AgentPoolRepository {
  /**
   * A pool of an organization, with the caller's standing on the organization; for members, also towards the workspaces
   * the pool serves.
   */
  findFor(actor: Actor, id: AgentPoolId): Promise<WithStanding<AgentPool> | undefined>;
  /** A pool of an existing organization or of the site. */
  find(id: AgentPoolId): Promise<AgentPool | undefined>;
  /** Throws `attribute/taken` if another pool of the organization, or of the site, has the name. */
  add(pool: AgentPool): Promise<void>;
  /** Saves name and scope. Throws `attribute/taken` if another pool has the name. */
  save(pool: AgentPool): Promise<void>;
  /** Removes the pool and its tokens. */
  remove(id: AgentPoolId): Promise<void>;
  /** Whether an existing workspace, or the default of a project or the organization, references it, or one of its agents executes a run. */
  inUse(id: AgentPoolId): Promise<boolean>;
  /** Ordered by name, unless the filter says otherwise. A null organization lists the site pools. */
  page(organizationId: OrganizationId | null, page: PageRequest, filter?: AgentPoolFilter): Promise<Page<AgentPool>>;
}

export interface AgentTokenRepository {
  /**
   * The agent and the token with this digest; undefined if there is none or its organization is deleted. One indexed
   * statement.
   */
  findAgent(secretDigest: string): Promise<{ readonly agent: Agent; readonly token: AgentToken } | undefined>;
  /** Undefined if its organization is deleted. */
  find(id: TokenId): Promise<AgentToken | undefined>;
  add(token: AgentToken): Promise<void>;
  remove(id: TokenId): Promise<void>;
  /** Newest first. */
  page(poolId: AgentPoolId, page: PageRequest): Promise<Page<AgentToken>>;
  /** The distinct creators of the pool's tokens, ordered by kind and id. */
  creatorsOf(poolId: AgentPoolId): Promise<readonly TokenOwner[]>;
  /** Moves `lastUsedAt` forward, never back. */
  markUsed(uses: ReadonlyMap<TokenId, Instant>): Promise<void>;
}
