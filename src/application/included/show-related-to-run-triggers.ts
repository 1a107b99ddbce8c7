import { type Actor, authorizedView, type WorkspaceRunTrigger, workspaceVisibility } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { showingWorkspaces } from '../supporting/workspaces/show-workspace.js';
import { type Related, related } from './related.js';

export type RunTriggerInclude = 'workspace' | 'sourceable';

/** The workspaces to include with run triggers of one organization that the caller may see: those that it may read. */
export class ShowRelatedToRunTriggers {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'runs'>) {}

  execute(
    actor: Actor,
    triggers: readonly WorkspaceRunTrigger[],
    include: ReadonlySet<RunTriggerInclude>,
  ): Promise<readonly Related[]> {
    const [first] = triggers;
    if (first === undefined || include.size === 0) return Promise.resolve([]);
    const ids = triggers.flatMap(({ workspaceId, sourceId }) => [
      ...(include.has('workspace') ? [workspaceId] : []),
      ...(include.has('sourceable') ? [sourceId] : []),
    ]);
    return this.unitOfWork.read(async (tx) => {
      const organization = await tx.organizations.findFor(actor, first.organizationName);
      const { subject, standing } = authorizedView(organization, 'organizations/read');
      const visibility = workspaceVisibility(standing);
      const found = await tx.workspaces.visibleWithStanding(subject.id, standing, visibility, [...new Set(ids)]);
      return (await showingWorkspaces(tx, found)).map(related('workspace'));
    });
  }
}
