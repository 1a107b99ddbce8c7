import { type Actor, authorized, type WorkspaceId } from '../../../domain/index.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type VariableView, viewOf } from './variable-values.js';

/** GET /workspaces/:id/vars: all of them, by key. */
export class ListVariables {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'variables'>,
    private readonly box: SecretBox,
  ) {}

  async execute(actor: Actor, workspaceId: WorkspaceId): Promise<readonly VariableView[]> {
    const variables = await this.unitOfWork.read(async (tx) =>
      tx.variables.ofWorkspace(authorized(await tx.workspaces.findIdFor(actor, workspaceId), 'variables/read')),
    );
    return variables.map((variable) => viewOf(this.box, variable));
  }
}
