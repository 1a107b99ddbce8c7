import type { Actor, AgentPool } from '../../../domain/index.js';
import { checkName } from '../../../domain/shared/name.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type AgentPoolReference, agentPoolInHand, auditPlaceOf } from './agent-pool-in-hand.js';
import { type ScopeChange, withScope, withVisibleScopeOf } from './agent-pool-scope.js';

export interface AgentPoolChange extends ScopeChange {
  readonly name?: string | undefined;
}

/** PATCH /agent-pools/:id and /admin/agent-pools/:id: unnamed settings keep their value. */
export class UpdateAgentPool {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'projects' | 'agentPools' | 'rowLocks' | 'audit'>,
  ) {}

  execute(actor: Actor, reference: AgentPoolReference, { name, ...scope }: AgentPoolChange): Promise<AgentPool> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: pool, standing, done } = await agentPoolInHand(tx, actor, reference);
      const changed = await withScope(tx, actor, { subject: pool, standing }, scope);
      const next = { ...changed, name: checkName(name ?? pool.name) };
      await tx.agentPools.save(next);
      await tx.audit.add(done(pool.id), auditPlaceOf(pool));
      return withVisibleScopeOf(tx, actor, { subject: next, standing });
    });
  }
}
