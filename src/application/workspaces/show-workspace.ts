import { type Actor, type Seen, seenBy, type Workspace } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import { findWorkspace, type WorkspaceReference } from './find-workspace.js';

/** GET /workspaces/:id and GET /organizations/:name/workspaces/:name. */
export class ShowWorkspace {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async execute(actor: Actor, reference: WorkspaceReference): Promise<Seen<Workspace>> {
    return seenBy(await this.unitOfWork.read((tx) => findWorkspace(tx, actor, reference)), 'workspaces/read');
  }
}
