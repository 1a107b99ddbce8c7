import { type Actor, notFound, type VariableId, type VariableSetId } from '../../../domain/index.js';
import { changedVariable, checkValue } from '../../../domain/supporting/variables/variable.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { VariableDraft } from './create-variable.js';
import { managedSet } from './managed-set.js';
import { checkRoomFor } from './new-variables.js';
import { type VariableView, viewOf } from './variable-values.js';

/**
 * PATCH /varsets/:id/relationships/vars/:variableId: unnamed settings keep their value. Claimed runs keep the values
 * they received.
 */
export class UpdateSetVariable {
  constructor(
    private readonly unitOfWork: UnitOfWork<'variableSets' | 'setVariables' | 'rowLocks' | 'audit'>,
    private readonly box: SecretBox,
  ) {}

  execute(
    actor: Actor,
    setId: VariableSetId,
    id: VariableId,
    { value, ...settings }: Partial<VariableDraft>,
  ): Promise<VariableView> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: set, done } = await managedSet(tx, actor, setId);
      const current = await tx.setVariables.find(setId, id);
      if (current === undefined) throw notFound();
      const next = changedVariable(current, {
        ...settings,
        ...(value !== undefined && { size: checkValue(value), sealedValue: this.box.seal(value) }),
      });
      if (next.size > current.size) await checkRoomFor(tx, set.organizationId, 0, next.size - current.size);
      await tx.setVariables.save(next);
      await tx.audit.add(done(id), set);
      return viewOf(this.box, next);
    });
  }
}
