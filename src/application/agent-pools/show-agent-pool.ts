import { type Actor, type AgentPool, type AgentPoolId, authorized } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** GET /agent-pools/:id. */
export class ShowAgentPool {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async execute(actor: Actor, id: AgentPoolId): Promise<AgentPool> {
    return authorized(await this.unitOfWork.read((tx) => tx.agentPools.findFor(actor, id)), 'agent-pools/manage');
  }
}
