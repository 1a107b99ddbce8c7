import {
  type Actor,
  authorizedView,
  may,
  type RunTriggerType,
  type WorkspaceId,
  type WorkspaceRunTrigger,
  workspaceVisibility,
} from '../../../domain/index.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /workspaces/:id/run-triggers, in the order in which they were created: those that the caller may see. */
export class ListRunTriggers {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'runTriggers'>) {}

  execute(
    actor: Actor,
    workspaceId: WorkspaceId,
    type: RunTriggerType,
    page: PageRequest,
  ): Promise<Page<WorkspaceRunTrigger>> {
    return this.unitOfWork.read(async (tx) => {
      const seen = await tx.workspaces.findFor(actor, workspaceId);
      const { subject, standing } = authorizedView(seen, 'run-triggers/read');
      const managed = type === 'inbound' && may(standing, 'run-triggers/manage');
      const organization = managed ? undefined : await tx.organizations.findFor(actor, subject.organizationName);
      const visibility = managed
        ? 'all'
        : workspaceVisibility(authorizedView(organization, 'organizations/read').standing);
      return tx.runTriggers.page({ workspaceId, type, visibility }, page);
    });
  }
}
