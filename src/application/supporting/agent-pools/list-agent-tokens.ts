import type { Actor, AgentToken } from '../../../domain/index.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type AgentPoolReference, authorizedAgentPool } from './agent-pool-in-hand.js';

/** GET /agent-pools/:id/authentication-tokens, also below /admin, newest first. */
export class ListAgentTokens {
  constructor(private readonly unitOfWork: UnitOfWork<'agentPools' | 'agentTokens'>) {}

  execute(actor: Actor, reference: AgentPoolReference, page: PageRequest): Promise<Page<AgentToken>> {
    return this.unitOfWork.read(async (tx) => {
      await authorizedAgentPool(tx, actor, reference, 'agent-pools/manage');
      return tx.agentTokens.page(reference.id, page);
    });
  }
}
