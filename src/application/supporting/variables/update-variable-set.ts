import type { Actor, Attachments, VariableSet, VariableSetId, VariableSetSettings } from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { checkVariableSet } from '../../../domain/supporting/variables/variable-set.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type AttachingRepositories, attachments } from './attachable.js';
import type { VariableDraft } from './create-variable.js';
import { managedSet } from './managed-set.js';
import type { NewVariables } from './new-variables.js';

export interface VariableSetChange extends Partial<VariableSetSettings & Attachments> {
  /** Added to those that the set has. */
  readonly variables: readonly VariableDraft[];
}

/**
 * PATCH /varsets/:id: unnamed settings keep their value, and named lists are replaced as a whole. A set that becomes
 * global loses its attachments. Claimed runs keep the values they received.
 */
export class UpdateVariableSet {
  constructor(
    private readonly unitOfWork: UnitOfWork<AttachingRepositories | 'variableSets' | 'setVariables' | 'audit'>,
    private readonly clock: Clock,
    private readonly newVariables: NewVariables,
  ) {}

  execute(
    actor: Actor,
    id: VariableSetId,
    { variables, workspaceIds, projectIds, ...settings }: VariableSetChange,
  ): Promise<VariableSet> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: current, done } = await managedSet(tx, actor, id);
      const next: VariableSet = checkVariableSet(
        revised(current, {
          ...settings,
          ...(settings.global === true && { workspaceIds: [], projectIds: [] }),
          ...(await attachments(tx, actor, current, {
            ...(workspaceIds !== undefined && { workspaceIds }),
            ...(projectIds !== undefined && { projectIds }),
          })),
          updatedAt: this.clock.now(),
        }),
      );
      await tx.variableSets.save(next);
      const added = await this.newVariables.add(tx, next, variables);
      await tx.audit.add(done(id), next);
      return { ...next, variableIds: [...next.variableIds, ...added.map((variable) => variable.id)].sort() };
    });
  }
}
