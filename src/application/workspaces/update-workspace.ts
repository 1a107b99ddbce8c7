import {
  type Actor,
  checkSettings,
  type Seen,
  seenBy,
  type Workspace,
  type WorkspaceSettings,
} from '../../domain/index.js';
import type { Clock } from '../ports/clock.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import { findWorkspace, type WorkspaceReference } from './find-workspace.js';

/** PATCH of a workspace: what is not named stays. */
export class UpdateWorkspace {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, reference: WorkspaceReference, change: Partial<WorkspaceSettings>): Promise<Seen<Workspace>> {
    return this.unitOfWork.run(async (tx) => {
      const { subject, standing } = seenBy(await findWorkspace(tx, actor, reference), 'workspaces/update');
      const next: Workspace = {
        ...subject,
        ...checkSettings(change),
        updatedAt: this.clock.now(),
        revision: subject.revision + 1,
      };
      await tx.workspaces.save(next);
      return { subject: next, standing };
    });
  }
}
