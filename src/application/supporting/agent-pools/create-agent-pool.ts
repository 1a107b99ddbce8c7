import type { Actor, AgentPool } from '../../../domain/index.js';
import { checkName } from '../../../domain/shared/name.js';
import { widestScope } from '../../../domain/supporting/agents/agent-pool.js';
import { changing, changingSite } from '../../../domain/supporting/audit/change.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type ScopeChange, withScope, withVisibleScopeOf } from './agent-pool-scope.js';

/** POST /organizations/:name/agent-pools. */
export class CreateAgentPool {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'projects' | 'agentPools' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute(actor: Actor, organizationName: string, name: string, scope: ScopeChange = {}): Promise<AgentPool> {
    return this.unitOfWork.run(async (tx) => {
      const {
        subject: organization,
        standing,
        done,
      } = changing(actor, await tx.organizations.findFor(actor, organizationName), 'agent-pools/create');
      const widest: AgentPool = {
        ...widestScope,
        id: this.ids.next('agent-pool'),
        organizationId: organization.id,
        organizationName: organization.name,
        name: checkName(name),
        createdAt: this.clock.now(),
      };
      const pool = await withScope(tx, actor, { subject: widest, standing }, scope);
      await tx.agentPools.add(pool);
      await tx.audit.add(done(pool.id), { organizationId: organization.id });
      return withVisibleScopeOf(tx, actor, { subject: pool, standing });
    });
  }
}

/** POST /admin/agent-pools: for the `remote` workspaces of every organization. */
export class CreateSiteAgentPool {
  constructor(
    private readonly unitOfWork: UnitOfWork<'agentPools' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute(actor: Actor, name: string): Promise<AgentPool> {
    const { done } = changingSite(actor, 'site-agent-pools/manage');
    const pool: AgentPool = {
      ...widestScope,
      id: this.ids.next('agent-pool'),
      organizationId: null,
      organizationName: null,
      name: checkName(name),
      createdAt: this.clock.now(),
    };
    await this.unitOfWork.run(async (tx) => {
      await tx.agentPools.add(pool);
      await tx.audit.add(done(pool.id), 'site');
    });
    return pool;
  }
}
