import { type Actor, notFound, type VariableId, type WorkspaceId } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** DELETE /workspaces/:id/vars/:variableId. */
export class RemoveVariable {
  constructor(private readonly unitOfWork: UnitOfWork<'variables' | 'audit'>) {}

  execute(actor: Actor, workspaceId: WorkspaceId, id: VariableId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: removed, done } = changing(
        actor,
        await tx.variables.findFor(actor, workspaceId, id),
        'variables/manage',
      );
      if (!(await tx.variables.remove(id))) throw notFound();
      await tx.audit.add(done(id), removed);
    });
  }
}
