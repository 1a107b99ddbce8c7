import {
  type Actor,
  authorized,
  authorizedView,
  DomainError,
  type WorkspaceId,
  workspaceVisibility,
} from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { inWorkspace } from '../../ports/repositories/audit-trail.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type ShownWorkspace, showingWorkspaces } from './show-workspace.js';

/** GET /workspaces/:id/relationships/remote-state-consumers: those that the caller may read. */
export class ListStateConsumers {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'runs'>) {}

  execute(actor: Actor, id: WorkspaceId, page: PageRequest): Promise<Page<ShownWorkspace>> {
    return this.unitOfWork.read(async (tx) => {
      const { organizationName } = authorized(await tx.workspaces.findFor(actor, id), 'workspaces/read');
      const organization = await tx.organizations.findFor(actor, organizationName);
      const { standing } = authorizedView(organization, 'organizations/read');
      const found = await tx.workspaces.stateConsumers(id, standing, workspaceVisibility(standing), page);
      return { ...found, items: await showingWorkspaces(tx, found.items) };
    });
  }
}

/** POST, PATCH and DELETE of the same: adds, replaces those that the caller may read, or removes. */
export class ChangeStateConsumers {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'audit'>) {}

  /** Throws `attribute/invalid` for a workspace that is not in the organization, or that the caller may not read. */
  execute(
    actor: Actor,
    id: WorkspaceId,
    change: 'add' | 'replace' | 'remove',
    consumerIds: readonly WorkspaceId[],
  ): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: workspace, done } = changing(actor, await tx.workspaces.findFor(actor, id), 'workspaces/update');
      if (change === 'remove') {
        await tx.workspaces.changeStateConsumers(id, { removed: consumerIds, added: [] });
      } else {
        const added = [...new Set(consumerIds)];
        const organization = await tx.organizations.findFor(actor, workspace.organizationName);
        const visibility = workspaceVisibility(authorizedView(organization, 'organizations/read').standing);
        const found = await tx.workspaces.visibleAmong(workspace.organizationId, added, visibility);
        if (found.length < added.length) {
          const sentence = 'Remote state consumers must be workspaces of the organization';
          throw new DomainError('attribute/invalid', sentence, { member: 'data' });
        }
        await tx.workspaces.changeStateConsumers(id, { removed: change === 'replace' ? visibility : [], added });
      }
      await tx.audit.add(done(id), inWorkspace(workspace));
    });
  }
}
