import type { Actor, VariableSet, VariableSetId } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { managedSet } from './managed-set.js';

/** GET /varsets/:id. A caller who may manage a set can see everything that it is attached to. */
export class ShowVariableSet {
  constructor(private readonly unitOfWork: UnitOfWork<'variableSets'>) {}

  execute(actor: Actor, id: VariableSetId): Promise<VariableSet> {
    return this.unitOfWork.read(async (tx) => (await managedSet(tx, actor, id)).subject);
  }
}
