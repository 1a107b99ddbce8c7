import {
  type Actor,
  type AgentPool,
  authorize,
  authorizedView,
  may,
  projectVisibility,
  standingOnSite,
} from '../../../domain/index.js';
import type { AgentPoolFilter } from '../../ports/repositories/filters.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { withVisibleScope } from './agent-pool-scope.js';

const firstOfThem = { number: 1, size: 1 };

export interface AgentPoolsQuery extends Omit<AgentPoolFilter, 'workspaceId' | 'projectId'> {
  /** Only pools that may serve the workspace of this name. None, if the caller cannot read it. */
  readonly workspaceName?: string | undefined;
  /** Only pools that may serve workspaces for being in the project of this name. None, if the caller cannot read it. */
  readonly projectName?: string | undefined;
}

/** GET /organizations/:name/agent-pools. */
export class ListAgentPools {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'projects' | 'agentPools'>) {}

  execute(
    actor: Actor,
    organizationName: string,
    page: PageRequest,
    { workspaceName, projectName, ...filter }: AgentPoolsQuery = {},
  ): Promise<Page<AgentPool>> {
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = authorizedView(
        await tx.organizations.findFor(actor, organizationName),
        'agent-pools/list',
      );
      const workspace =
        workspaceName === undefined
          ? undefined
          : await tx.workspaces.findByNameFor(actor, organizationName, workspaceName);
      const hidden = workspace === undefined || !may(workspace.standing, 'workspaces/read');
      if (workspaceName !== undefined && hidden) return { ...page, total: 0, items: [] };
      const project =
        projectName === undefined
          ? undefined
          : await tx.projects.page(subject.id, standing, projectVisibility(standing), firstOfThem, {
              names: [projectName],
            });
      if (project?.items.length === 0) return { ...page, total: 0, items: [] };
      const found = await tx.agentPools.page(subject.id, page, {
        ...filter,
        workspaceId: workspace?.subject.id,
        projectId: project?.items[0]?.subject.id,
      });
      return { ...found, items: await withVisibleScope(tx, actor, found.items, standing) };
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
