import { type Actor, notFound, type VariableId, type VariableSetId } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { managedSet } from './managed-set.js';

/** DELETE /varsets/:id/relationships/vars/:variableId. */
export class RemoveSetVariable {
  constructor(private readonly unitOfWork: UnitOfWork<'variableSets' | 'setVariables' | 'audit'>) {}

  execute(actor: Actor, setId: VariableSetId, id: VariableId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: set, done } = await managedSet(tx, actor, setId);
      if ((await tx.setVariables.find(setId, id)) === undefined) throw notFound();
      if (!(await tx.setVariables.remove(id))) throw notFound();
      await tx.audit.add(done(id), set);
    });
  }
}
