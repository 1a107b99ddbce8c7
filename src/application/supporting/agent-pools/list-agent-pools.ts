import { type Actor, type AgentPool, authorize, seenBy, standingOnSite } from '../../../domain/index.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { withVisibleScope } from './agent-pool-scope.js';

/** GET /organizations/:name/agent-pools, by name. */
export class ListAgentPools {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'agentPools'>) {}

  execute(actor: Actor, organizationName: string, page: PageRequest): Promise<Page<AgentPool>> {
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = seenBy(await tx.organizations.findFor(actor, organizationName), 'agent-pools/list');
      const found = await tx.agentPools.page(subject.id, page);
      return { ...found, items: await withVisibleScope(tx, found.items, standing) };
    });
  }
}

/** GET /admin/agent-pools, by name. */
export class ListSiteAgentPools {
  constructor(private readonly unitOfWork: UnitOfWork<'agentPools'>) {}

  async execute(actor: Actor, page: PageRequest): Promise<Page<AgentPool>> {
    authorize(standingOnSite(actor), 'site-agent-pools/manage');
    return this.unitOfWork.read((tx) => tx.agentPools.page(null, page));
  }
}
