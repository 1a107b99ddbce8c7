import {
  type Actor,
  authorized,
  checkSource,
  checkSourceCount,
  identityOf,
  type WorkspaceId,
  type WorkspaceRunTrigger,
} from '../../../domain/index.js';
import { foundInBody } from '../../../domain/shared/domain-error.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import { inWorkspace } from '../../ports/repositories/audit-trail.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** POST /workspaces/:id/run-triggers. Runs of the source that are applied from then on count. */
export class CreateRunTrigger {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'runTriggers' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** Throws `attribute/invalid` for a source of another organization and for too many, and `attribute/taken`. */
  execute(actor: Actor, workspaceId: WorkspaceId, sourceId: WorkspaceId): Promise<WorkspaceRunTrigger> {
    return this.unitOfWork.run(async (tx) => {
      const [seen, seenSource] = await Promise.all([
        tx.workspaces.findFor(actor, workspaceId),
        tx.workspaces.findFor(actor, sourceId),
      ]);
      const { subject: workspace, done } = changing(actor, seen, 'run-triggers/manage');
      const source = foundInBody('Workspace', { relationship: 'sourceable' }, () =>
        authorized(seenSource, 'workspaces/read'),
      );
      checkSource(workspace, source);
      // Serializes with others of the workspace, so that the second one counts the first towards the limit.
      await tx.workspaces.lockRow(workspaceId);
      checkSourceCount((await tx.runTriggers.countSources(workspaceId)) + 1);
      const { organizationId, organizationName } = workspace;
      const created: WorkspaceRunTrigger = {
        id: this.ids.next('run-trigger'),
        workspaceId,
        workspaceName: workspace.name,
        sourceId,
        sourceName: source.name,
        organizationId,
        organizationName,
        createdBy: identityOf(actor),
        createdAt: this.clock.now(),
      };
      await tx.runTriggers.add(created);
      await tx.audit.add(done(created.id, { sources: [{ id: sourceId }] }), inWorkspace(workspace));
      return created;
    });
  }
}
