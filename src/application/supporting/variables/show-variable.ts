import { type Actor, authorized, type VariableId, type WorkspaceId } from '../../../domain/index.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type VariableView, viewOf } from './variable-values.js';

/** GET /workspaces/:id/vars/:variableId. */
export class ShowVariable {
  constructor(
    private readonly unitOfWork: UnitOfWork<'variables'>,
    private readonly box: SecretBox,
  ) {}

  async execute(actor: Actor, workspaceId: WorkspaceId, id: VariableId): Promise<VariableView> {
    const seen = await this.unitOfWork.read((tx) => tx.variables.findFor(actor, workspaceId, id));
    return viewOf(this.box, authorized(seen, 'variables/read'));
  }
}
