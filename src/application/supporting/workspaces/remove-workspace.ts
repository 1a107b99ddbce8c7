import { type Actor, authorized, DomainError } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { checkSafeToDelete, deletionOf } from '../../../domain/supporting/workspaces/workspace.js';
import type { Clock } from '../../ports/outside/clock.js';
import { inWorkspace } from '../../ports/repositories/audit-trail.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { activityOf } from '../runs/workspace-activity.js';
import { findWorkspace, type WorkspaceReference } from './find-workspace.js';

/** DELETE of a workspace: hides it at once with its versions and their URLs; its data is removed in batches. */
export class RemoveWorkspace {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'runs' | 'effects' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws `runs/in-progress` while a run is applied. With `safely`, `workspace/not-safe-to-delete` for a workspace that is
   * locked or manages resources.
   */
  execute(
    actor: Actor,
    reference: WorkspaceReference,
    { safely = false }: { readonly safely?: boolean } = {},
  ): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await findWorkspace(tx, actor, reference);
      const { subject: workspace, done } = changing(actor, seen, 'workspaces/delete');
      const { id } = workspace;
      // Prevents an apply from starting between the check and the removal. Other runs end with the deletion: they are
      // no longer found, so neither people nor agents can go on with them.
      await tx.workspaces.lockRow(id);
      if (await tx.runs.anyApplying({ workspaceId: id })) {
        throw new DomainError(
          'runs/in-progress',
          'the workspace has a run that is being applied: wait for it, or cancel it',
        );
      }
      if (safely) checkSafeToDelete((await tx.workspaces.find(id)) ?? workspace, await activityOf(tx, id));
      else if (!workspace.allowForceDelete) authorized(seen, deletionOf(await activityOf(tx, id)));
      await tx.workspaces.remove(id, this.clock.now());
      await tx.audit.add(done(id), inWorkspace(workspace));
      await tx.effects.enqueue(id, [{ kind: 'remove-rows', target: { kind: 'workspace', id } }]);
    });
  }
}
