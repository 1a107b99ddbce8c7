import { type Actor, type AgentPoolId, type AgentToken, authorized } from '../../domain/index.js';
import type { Page, PageRequest } from '../ports/page.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** GET /agent-pools/:id/authentication-tokens, newest first. */
export class ListAgentTokens {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  execute(actor: Actor, poolId: AgentPoolId, page: PageRequest): Promise<Page<AgentToken>> {
    return this.unitOfWork.read(async (tx) => {
      authorized(await tx.agentPools.findFor(actor, poolId), 'agent-pools/manage');
      return tx.agentTokens.page(poolId, page);
    });
  }
}
