import { type Actor, authorized, resolveVariables, type WorkspaceId } from '../../../domain/index.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type VariableView, viewOf } from './variable-values.js';

/** GET /workspaces/:id/all-vars: what a run without variables of its own receives, by key. */
export class ListAllVariables {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'variables'>,
    private readonly box: SecretBox,
  ) {}

  async execute(actor: Actor, workspaceId: WorkspaceId): Promise<readonly VariableView[]> {
    const applying = await this.unitOfWork.read(async (tx) =>
      tx.variables.applyingTo(authorized(await tx.workspaces.findIdFor(actor, workspaceId), 'variables/read')),
    );
    return resolveVariables([], applying).variables.map(({ variable, set }) =>
      viewOf(this.box, { ...variable, ...(set === null ? { workspaceId } : { variableSetId: set.id }) }),
    );
  }
}
