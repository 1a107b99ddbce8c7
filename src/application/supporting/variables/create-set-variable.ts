import type { Actor, VariableSetId } from '../../../domain/index.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { VariableDraft } from './create-variable.js';
import { managedSet } from './managed-set.js';
import type { NewVariables } from './new-variables.js';
import { type VariableView, viewOf } from './variable-values.js';

/** POST /varsets/:id/relationships/vars. */
export class CreateSetVariable {
  constructor(
    private readonly unitOfWork: UnitOfWork<'variableSets' | 'setVariables' | 'rowLocks' | 'audit'>,
    private readonly box: SecretBox,
    private readonly newVariables: NewVariables,
  ) {}

  execute(actor: Actor, setId: VariableSetId, draft: VariableDraft): Promise<VariableView> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: set, done } = await managedSet(tx, actor, setId);
      const [variable] = await this.newVariables.add(tx, set, [draft]);
      if (variable === undefined) throw new Error('a draft makes a variable');
      await tx.audit.add(done(variable.id), set);
      return viewOf(this.box, variable);
    });
  }
}
