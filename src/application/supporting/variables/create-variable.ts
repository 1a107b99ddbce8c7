import type { Actor, Variable, VariableSettings, WorkspaceId } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { checkRoom, checkValue, checkVariable } from '../../../domain/supporting/variables/variable.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type VariableView, viewOf } from './variable-values.js';

/** A variable as a request describes it. */
export interface VariableDraft extends VariableSettings {
  readonly value: string;
}

/** POST /workspaces/:id/vars. */
export class CreateVariable {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'variables' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly box: SecretBox,
  ) {}

  execute(actor: Actor, workspaceId: WorkspaceId, { value, ...settings }: VariableDraft): Promise<VariableView> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: id, done } = changing(
        actor,
        await tx.workspaces.findIdFor(actor, workspaceId),
        'variables/manage',
      );
      const variable: Variable = checkVariable({
        ...settings,
        id: this.ids.next('variable'),
        workspaceId: id,
        sealedValue: this.box.seal(value),
        size: checkValue(value),
        createdAt: this.clock.now(),
        revision: 0,
      });
      // Serializes concurrent creations, so that the second one counts the first towards the limits.
      await tx.workspaces.lockRow(id);
      const { count, bytes } = await tx.variables.totalsOf(id);
      checkRoom({ count: count + 1, bytes: bytes + variable.size });
      await tx.variables.add(variable);
      await tx.audit.add(done(variable.id), variable);
      return viewOf(this.box, variable);
    });
  }
}
