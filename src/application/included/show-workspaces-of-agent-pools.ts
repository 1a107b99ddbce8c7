import {
  type Actor,
  type AgentPool,
  type AgentPoolId,
  executionOf,
  may,
  workspaceVisibility,
} from '../../domain/index.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { type ShownWorkspace, showingWorkspaces } from '../supporting/workspaces/show-workspace.js';

/** The workspaces that use pools of one organization, by pool: those that the caller can read. */
export class ShowWorkspacesOfAgentPools {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'runs'>) {}

  execute(actor: Actor, pools: readonly AgentPool[]): Promise<ReadonlyMap<AgentPoolId, readonly ShownWorkspace[]>> {
    const name = pools[0]?.organizationName ?? null;
    if (name === null) return Promise.resolve(new Map());
    return this.unitOfWork.read(async (tx) => {
      const seen = await tx.organizations.findFor(actor, name);
      if (seen === undefined || !may(seen.standing, 'organizations/read')) return new Map();
      const { subject, standing } = seen;
      const ids = pools.map(({ id }) => id);
      const found = await tx.workspaces.using(subject.id, standing, workspaceVisibility(standing), ids);
      return Map.groupBy(
        await showingWorkspaces(tx, found),
        (workspace) => executionOf(workspace.subject).agentPoolId ?? '',
      );
    });
  }
}
