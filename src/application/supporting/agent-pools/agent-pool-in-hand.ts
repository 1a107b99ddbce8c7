import { type Action, type Actor, type AgentPool, type AgentPoolId, notFound } from '../../../domain/index.js';
import { type Change, changing, changingSite } from '../../../domain/supporting/audit/change.js';
import type { AuditPlace } from '../../ports/repositories/audit-trail.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** A pool of an organization or of the site, which have separate paths. */
export interface AgentPoolReference {
  readonly id: AgentPoolId;
  readonly of: 'organization' | 'site';
}

/** The audit trail for events of the pool. */
export const auditPlaceOf = ({ organizationId }: Pick<AgentPool, 'organizationId'>): AuditPlace =>
  organizationId === null ? 'site' : { organizationId };

/** Throws `resource/not-found`. `action` is the right required for a pool of an organization. */
export async function authorizedAgentPool(
  tx: Transaction<'agentPools'>,
  actor: Actor,
  { id, of }: AgentPoolReference,
  action: Action,
): Promise<Change<AgentPool>> {
  if (of === 'organization') return changing(actor, await tx.agentPools.findFor(actor, id), action);
  const change = changingSite(actor, 'site-agent-pools/manage');
  const subject = await tx.agentPools.find(id);
  if (subject === undefined || subject.organizationId !== null) throw notFound();
  return { ...change, subject };
}

/**
 * Like `authorizedAgentPool`, for a caller who manages the pool. Locks the pool first, so that references to it cannot change
 * until the transaction ends: referencing a pool shares the lock.
 */
export async function agentPoolInHand(
  tx: Transaction<'agentPools' | 'rowLocks'>,
  actor: Actor,
  reference: AgentPoolReference,
): Promise<Change<AgentPool>> {
  if (!(await tx.rowLocks.take({ kind: 'agent-pool', id: reference.id }))) throw notFound();
  return authorizedAgentPool(tx, actor, reference, 'agent-pools/manage');
}
