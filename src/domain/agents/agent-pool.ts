import type { RequestTrace } from '../authorization/actor.js';
import type { TokenOwner } from '../shared/api-token.js';
import type { AgentPoolId, Instant, OrganizationId, TokenId } from '../shared/id.js';

/** Agents of one organization. Workspaces may name one; those that name none are served by any. */
export interface AgentPool {
  readonly id: AgentPoolId;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  readonly name: string;
  readonly createdAt: Instant;
}

/** What is kept of a token by which agents of a pool make themselves known. */
export interface AgentToken {
  readonly id: TokenId;
  readonly poolId: AgentPoolId;
  /** SHA-256 of the secret, lower-case hexadecimal. */
  readonly secretDigest: string;
  readonly description: string;
  readonly createdBy: TokenOwner | null;
  readonly createdAt: Instant;
  /** Null until first used; true to within a minute. */
  readonly lastUsedAt: Instant | null;
}

/** Who calls the agents' interface: a program that holds a token of the pool. */
export interface Agent {
  readonly tokenId: TokenId;
  readonly request?: RequestTrace;
  readonly poolId: AgentPoolId;
  readonly organizationId: OrganizationId;
}
