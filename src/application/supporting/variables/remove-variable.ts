import { type Actor, authorized, notFound, type VariableId, type WorkspaceId } from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** DELETE /workspaces/:id/vars/:variableId. */
export class RemoveVariable {
  constructor(private readonly unitOfWork: UnitOfWork<'variables' | 'audit'>) {}

  execute(actor: Actor, workspaceId: WorkspaceId, id: VariableId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const removed = authorized(await tx.variables.findFor(actor, workspaceId, id), 'variables/manage');
      if (!(await tx.variables.remove(id))) throw notFound();
      await tx.audit.add(doneBy(actor, 'variables/manage', id), removed);
    });
  }
}
