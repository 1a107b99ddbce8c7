import { type Actor, type AgentPoolId, authorized, DomainError, doneBy, notFound } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** DELETE /agent-pools/:id, with its tokens. */
export class RemoveAgentPool {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Throws `agent-pool/in-use` while a workspace names it, or one of its agents executes a run. */
  execute(actor: Actor, id: AgentPoolId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const pool = authorized(await tx.agentPools.findFor(actor, id), 'agent-pools/manage');
      if (!(await tx.holds.take({ kind: 'agent-pool', id }))) throw notFound();
      if (await tx.agentPools.inUse(id)) {
        throw new DomainError('agent-pool/in-use', 'agent pool is named by a workspace or executes a run');
      }
      await tx.agentPools.remove(id);
      await tx.audit.add(doneBy(actor, 'agent-pools/manage', id), pool);
    });
  }
}
