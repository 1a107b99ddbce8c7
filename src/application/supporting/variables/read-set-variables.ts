import { type Actor, notFound, type VariableId, type VariableSetId } from '../../../domain/index.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { managedSet } from './managed-set.js';
import { type VariableView, viewOf } from './variable-values.js';

/** GET /varsets/:id/relationships/vars: all of them, by key. */
export class ListSetVariables {
  constructor(
    private readonly unitOfWork: UnitOfWork<'variableSets' | 'setVariables'>,
    private readonly box: SecretBox,
  ) {}

  async execute(actor: Actor, setId: VariableSetId): Promise<readonly VariableView[]> {
    const variables = await this.unitOfWork.read(async (tx) =>
      tx.setVariables.ofSets([(await managedSet(tx, actor, setId)).subject.id]),
    );
    return variables.map((variable) => viewOf(this.box, variable));
  }
}

/** GET /varsets/:id/relationships/vars/:variableId. */
export class ShowSetVariable {
  constructor(
    private readonly unitOfWork: UnitOfWork<'variableSets' | 'setVariables'>,
    private readonly box: SecretBox,
  ) {}

  async execute(actor: Actor, setId: VariableSetId, id: VariableId): Promise<VariableView> {
    const variable = await this.unitOfWork.read(async (tx) =>
      tx.setVariables.find((await managedSet(tx, actor, setId)).subject.id, id),
    );
    if (variable === undefined) throw notFound();
    return viewOf(this.box, variable);
  }
}
