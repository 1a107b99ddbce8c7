import type { SetVariable, VariableSet } from '../../../domain/index.js';
import { checkRoom, checkValue, checkVariable } from '../../../domain/supporting/variables/variable.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';
import type { VariableDraft } from './create-variable.js';

/** Adds variables to variable sets, within the room of the organization. */
export class NewVariables {
  constructor(
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly box: SecretBox,
  ) {}

  async add(
    tx: Transaction<'setVariables' | 'rowLocks'>,
    { id: variableSetId, organizationId }: Pick<VariableSet, 'id' | 'organizationId'>,
    drafts: readonly VariableDraft[],
  ): Promise<readonly SetVariable[]> {
    if (drafts.length === 0) return [];
    const variables = drafts.map(
      ({ value, ...settings }): SetVariable =>
        checkVariable({
          ...settings,
          id: this.ids.next('variable'),
          variableSetId,
          sealedValue: this.box.seal(value),
          size: checkValue(value),
          createdAt: this.clock.now(),
          revision: 0,
        }),
    );
    await checkRoomFor(
      tx,
      organizationId,
      variables.length,
      variables.reduce((sum, { size }) => sum + size, 0),
    );
    for (const variable of variables) await tx.setVariables.add(variable);
    return variables;
  }
}

/** Throws `attribute/invalid` if the organization's variable sets would have too many variables, or too long ones. */
export async function checkRoomFor(
  tx: Transaction<'setVariables' | 'rowLocks'>,
  organizationId: VariableSet['organizationId'],
  added: number,
  addedBytes: number,
): Promise<void> {
  // Serializes concurrent changes, so that the second one counts the first towards the limits.
  await tx.rowLocks.take({ kind: 'organization', id: organizationId });
  const { count, bytes } = await tx.setVariables.totalsOf(organizationId);
  checkRoom({ count: count + added, bytes: bytes + addedBytes }, 'ofSets');
}
