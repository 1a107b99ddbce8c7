import { type Actor, type AgentPool, authorized, checkName, doneBy } from '../../domain/index.js';
import type { Clock } from '../ports/clock.js';
import type { IdGenerator } from '../ports/id-generator.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** POST /organizations/:name/agent-pools. */
export class CreateAgentPool {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute(actor: Actor, organizationName: string, name: string): Promise<AgentPool> {
    return this.unitOfWork.run(async (tx) => {
      const organization = authorized(await tx.organizations.findFor(actor, organizationName), 'agent-pools/manage');
      const pool: AgentPool = {
        id: this.ids.next('agent-pool'),
        organizationId: organization.id,
        organizationName: organization.name,
        name: checkName(name),
        createdAt: this.clock.now(),
      };
      await tx.agentPools.add(pool);
      await tx.audit.add(doneBy(actor, 'agent-pools/manage', pool.id), pool);
      return pool;
    });
  }
}
