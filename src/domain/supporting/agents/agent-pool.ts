import type { RequestTrace } from '../../authorization/actor.js';
import type { AgentPoolScope, ServingPool } from '../../shared/execution.js';
import type { AgentPoolId, Instant, OrganizationId, TokenId } from '../../shared/id.js';
import type { TokenOwner } from '../../shared/token-owner.js';

/** The agents of one organization or of the site. `serves` decides whose runs they claim. */
export interface AgentPool extends ServingPool {
  /** Null for a site pool. */
  readonly organizationName: string | null;
  readonly name: string;
  readonly createdAt: Instant;
}

export const widestScope: AgentPoolScope = {
  organizationScoped: true,
  allowedWorkspaceIds: [],
  allowedProjectIds: [],
  excludedWorkspaceIds: [],
};

/** The stored part of a token that agents of a pool authenticate with. */
export interface AgentToken {
  readonly id: TokenId;
  readonly poolId: AgentPoolId;
  /** SHA-256 of the secret, lower-case hexadecimal. */
  readonly secretDigest: string;
  readonly description: string;
  readonly createdBy: TokenOwner | null;
  readonly createdAt: Instant;
  /** Null until first used; accurate to within a minute. */
  readonly lastUsedAt: Instant | null;
}

/** A caller of the agent API: a program that holds a token of the pool. */
export interface Agent {
  readonly tokenId: TokenId;
  readonly request?: RequestTrace;
  readonly poolId: AgentPoolId;
  /** Null for an agent of a site pool. */
  readonly organizationId: OrganizationId | null;
}
