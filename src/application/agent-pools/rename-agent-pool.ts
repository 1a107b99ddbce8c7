import { type Actor, type AgentPool, type AgentPoolId, authorized, checkName, doneBy } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** PATCH /agent-pools/:id. Without a name nothing changes. */
export class RenameAgentPool {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  execute(actor: Actor, id: AgentPoolId, name: string | undefined): Promise<AgentPool> {
    return this.unitOfWork.run(async (tx) => {
      const pool = authorized(await tx.agentPools.findFor(actor, id), 'agent-pools/manage');
      if (name === undefined) return pool;
      await tx.agentPools.rename(id, checkName(name));
      await tx.audit.add(doneBy(actor, 'agent-pools/manage', id), pool);
      return { ...pool, name };
    });
  }
}
