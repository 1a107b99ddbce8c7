import type {
  Actor,
  Agent,
  AgentPool,
  AgentPoolId,
  AgentToken,
  Instant,
  OrganizationId,
  Seen,
  TokenId,
} from '../../domain/index.js';
import type { Page, PageRequest } from './page.js';

export interface AgentPoolRepository {
  /** The standing is the caller's on the organization. */
  findFor(actor: Actor, id: AgentPoolId): Promise<Seen<AgentPool> | undefined>;
  /** Throws `attribute/taken` when a pool of the organization has the name. */
  add(pool: AgentPool): Promise<void>;
  /** Throws `attribute/taken` when the name is another's. */
  rename(id: AgentPoolId, name: string): Promise<void>;
  /** With its tokens. */
  remove(id: AgentPoolId): Promise<void>;
  /** Whether a living workspace names it, or a run is executed by one of its agents. */
  inUse(id: AgentPoolId): Promise<boolean>;
  /** By name. */
  page(organizationId: OrganizationId, page: PageRequest): Promise<Page<AgentPool>>;
}

export interface AgentTokenRepository {
  /** Whose token it is; undefined when there is none such, or its organization is deleted. One indexed statement. */
  findAgent(secretDigest: string): Promise<{ readonly agent: Agent; readonly token: AgentToken } | undefined>;
  /** The standing is the caller's on the pool's organization. */
  findFor(actor: Actor, id: TokenId): Promise<Seen<AgentToken> | undefined>;
  add(token: AgentToken): Promise<void>;
  remove(id: TokenId): Promise<void>;
  /** Newest first. */
  page(poolId: AgentPoolId, page: PageRequest): Promise<Page<AgentToken>>;
  /** Moves `lastUsedAt` forward, never back. */
  markUsed(uses: ReadonlyMap<TokenId, Instant>): Promise<void>;
}
