import { type Actor, managing, type VariableSetId } from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { managedSet } from './managed-set.js';

/** DELETE /varsets/:id, with its variables. */
export class RemoveVariableSet {
  constructor(private readonly unitOfWork: UnitOfWork<'variableSets' | 'audit'>) {}

  execute(actor: Actor, id: VariableSetId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const removed = await managedSet(tx, actor, id);
      await tx.variableSets.remove(id);
      await tx.audit.add(doneBy(actor, managing(removed), id), removed);
    });
  }
}
