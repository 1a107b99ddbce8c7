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
  TokenOwner,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

export interface AgentPoolRepository {
  /** A pool of an organization, with the caller's standing on the organization; for its members, also towards what the pool serves. */
  findFor(actor: Actor, id: AgentPoolId): Promise<Seen<AgentPool> | undefined>;
  /** Of a living organization, or of the site. */
  find(id: AgentPoolId): Promise<AgentPool | undefined>;
  /** Throws `attribute/taken` when a pool of the organization, or of the site, has the name. */
  add(pool: AgentPool): Promise<void>;
  /** Keeps name and scope; the pool is `replaced` no longer. Throws `attribute/taken` when the name is another's. */
  save(pool: AgentPool): Promise<void>;
  /** With its tokens. */
  remove(id: AgentPoolId): Promise<void>;
  /** Whether a living workspace or its organization's default names it, or a run is executed by one of its agents. */
  inUse(id: AgentPoolId): Promise<boolean>;
  /** Pools of living organizations that an upgrade took workspaces from and that are not the default, by name. */
  replaced(): Promise<readonly AgentPool[]>;
  /** By name. Null for site pools. */
  page(organizationId: OrganizationId | null, page: PageRequest): Promise<Page<AgentPool>>;
}

export interface AgentTokenRepository {
  /** Whose token it is; undefined when there is none such, or its organization is deleted. One indexed statement. */
  findAgent(secretDigest: string): Promise<{ readonly agent: Agent; readonly token: AgentToken } | undefined>;
  /** Undefined when its organization is deleted. */
  find(id: TokenId): Promise<AgentToken | undefined>;
  add(token: AgentToken): Promise<void>;
  remove(id: TokenId): Promise<void>;
  /** Newest first. */
  page(poolId: AgentPoolId, page: PageRequest): Promise<Page<AgentToken>>;
  /** Who made the tokens of the pool, each once, in order of kind and id. */
  creatorsOf(poolId: AgentPoolId): Promise<readonly TokenOwner[]>;
  /** Moves `lastUsedAt` forward, never back. */
  markUsed(uses: ReadonlyMap<TokenId, Instant>): Promise<void>;
}
