import { type Actor, DomainError } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type AgentPoolReference, agentPoolInHand, auditPlaceOf } from './agent-pool-in-hand.js';

/** DELETE /agent-pools/:id and /admin/agent-pools/:id; also removes the pool's tokens. */
export class RemoveAgentPool {
  constructor(private readonly unitOfWork: UnitOfWork<'agentPools' | 'rowLocks' | 'audit'>) {}

  /**
   * Throws `agent-pool/in-use` while a workspace, or the default of a project or the organization, references it, or one of
   * its agents executes a run.
   */
  execute(actor: Actor, reference: AgentPoolReference): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: pool, done } = await agentPoolInHand(tx, actor, reference);
      if (await tx.agentPools.inUse(pool.id)) {
        throw new DomainError(
          'agent-pool/in-use',
          'agent pool is used by a workspace or the organization, or is executing a run',
        );
      }
      await tx.agentPools.remove(pool.id);
      await tx.audit.add(done(pool.id), auditPlaceOf(pool));
    });
  }
}
