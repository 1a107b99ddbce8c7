import {
  type Actor,
  type AgentPool,
  type AgentPoolId,
  DomainError,
  identityOf,
  type OrganizationId,
  type TokenOwner,
} from '../../domain/index.js';
import type { AtFault } from '../../domain/shared/domain-error.js';
import type { Transaction } from '../ports/repositories/unit-of-work.js';

/**
 * The pool a request names. It is locked against removal, and no token is issued for it, until the transaction ends.
 * Throws `attribute/invalid` unless it belongs to the organization.
 */
export async function namedPool(
  tx: Transaction<'agentPools' | 'rowLocks'>,
  organizationId: OrganizationId,
  id: AgentPoolId,
  at: AtFault,
): Promise<AgentPool> {
  const held = await tx.rowLocks.share({ kind: 'agent-pool', id });
  const pool = held ? await tx.agentPools.find(id) : undefined;
  if (pool === undefined || pool.organizationId !== organizationId) {
    throw new DomainError('attribute/invalid', 'Agent pool must belong to the organization', at);
  }
  return pool;
}

/** The other owners of the pool's tokens, whose agents claim the runs it serves. */
export async function otherCreators(
  tx: Transaction<'agentTokens'>,
  actor: Actor,
  id: AgentPoolId,
): Promise<readonly TokenOwner[]> {
  const own = identityOf(actor);
  return (await tx.agentTokens.creatorsOf(id)).filter((one) => one.kind !== own.kind || one.id !== own.id);
}
