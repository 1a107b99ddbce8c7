import { type Actor, authorized, DomainError } from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { findWorkspace, type WorkspaceReference } from './find-workspace.js';

/** DELETE of a workspace: hidden at once with its versions and their URLs, taken away in batches. */
export class RemoveWorkspace {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'runs' | 'effects' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, reference: WorkspaceReference): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { id, organizationId } = authorized(await findWorkspace(tx, actor, reference), 'workspaces/delete');
      // So that no run begins between the question and the removal.
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
