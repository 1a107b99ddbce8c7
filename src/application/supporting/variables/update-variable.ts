import type { Actor, VariableId, WorkspaceId } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { changedVariable, checkRoom, checkValue } from '../../../domain/supporting/variables/variable.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { VariableDraft } from './create-variable.js';
import { type VariableView, viewOf } from './variable-values.js';

/**
 * PATCH /workspaces/:id/vars/:variableId: unnamed settings keep their value. Claimed runs keep the values they
 * received.
 */
export class UpdateVariable {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'variables' | 'audit'>,
    private readonly box: SecretBox,
  ) {}

  execute(
    actor: Actor,
    workspaceId: WorkspaceId,
    id: VariableId,
    { value, ...settings }: Partial<VariableDraft>,
  ): Promise<VariableView> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: current, done } = changing(
        actor,
        await tx.variables.findFor(actor, workspaceId, id),
        'variables/manage',
      );
      const next = changedVariable(current, {
        ...settings,
        ...(value !== undefined && { size: checkValue(value), sealedValue: this.box.seal(value) }),
      });
      if (next.size > current.size) {
        await tx.workspaces.lockRow(workspaceId);
        const { count, bytes } = await tx.variables.totalsOf(workspaceId);
        checkRoom({ count, bytes: bytes - current.size + next.size });
      }
      await tx.variables.save(next);
      await tx.audit.add(done(id), next);
      return viewOf(this.box, next);
    });
  }
}
