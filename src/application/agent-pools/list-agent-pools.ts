import { type Actor, type AgentPool, authorized } from '../../domain/index.js';
import type { Page, PageRequest } from '../ports/page.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** GET /organizations/:name/agent-pools, by name. */
export class ListAgentPools {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  execute(actor: Actor, organizationName: string, page: PageRequest): Promise<Page<AgentPool>> {
    return this.unitOfWork.read(async (tx) => {
      const organization = authorized(await tx.organizations.findFor(actor, organizationName), 'agent-pools/manage');
      return tx.agentPools.page(organization.id, page);
    });
  }
}
