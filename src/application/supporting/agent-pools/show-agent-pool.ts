import type { Actor, AgentPool } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type AgentPoolReference, authorizedAgentPool } from './agent-pool-in-hand.js';
import { withVisibleScopeOf } from './agent-pool-scope.js';

/** GET /agent-pools/:id and /admin/agent-pools/:id. */
export class ShowAgentPool {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces' | 'projects' | 'agentPools'>) {}

  execute(actor: Actor, reference: AgentPoolReference): Promise<AgentPool> {
    return this.unitOfWork.read(async (tx) =>
      withVisibleScopeOf(tx, actor, await authorizedAgentPool(tx, actor, reference, 'agent-pools/read')),
    );
  }
}
