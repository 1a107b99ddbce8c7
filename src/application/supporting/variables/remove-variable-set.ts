import type { Actor, VariableSetId } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { managedSet } from './managed-set.js';

/** DELETE /varsets/:id, with its variables. */
export class RemoveVariableSet {
  constructor(private readonly unitOfWork: UnitOfWork<'variableSets' | 'audit'>) {}

  execute(actor: Actor, id: VariableSetId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: removed, done } = await managedSet(tx, actor, id);
      await tx.variableSets.remove(id);
      await tx.audit.add(done(id), removed);
    });
  }
}
