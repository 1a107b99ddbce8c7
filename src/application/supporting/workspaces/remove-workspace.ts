import { type Actor, authorized, DomainError } from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { findWorkspace, type WorkspaceReference } from './find-workspace.js';

/** DELETE of a workspace: hides it at once with its versions and their URLs; its data is removed in batches. */
export class RemoveWorkspace {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'runs' | 'effects' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, reference: WorkspaceReference): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { id, organizationId } = authorized(await findWorkspace(tx, actor, reference), 'workspaces/delete');
      // Prevents a run from starting between the check and the removal.
      await tx.workspaces.takeTurn(id);
      if (await tx.runs.anyInProgress({ workspaceId: id })) {
        throw new DomainError('runs/in-progress', 'the workspace has a run in progress');
      }
      await tx.workspaces.remove(id, this.clock.now());
      await tx.audit.add(doneBy(actor, 'workspaces/delete', id), { organizationId });
      await tx.effects.enqueue(id, [{ kind: 'remove-rows', target: { kind: 'workspace', id } }]);
    });
  }
}
