import { type Actor, notFound, type ProjectId } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { checkRemovable } from '../../../domain/supporting/projects/project.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** DELETE /projects/:id. */
export class RemoveProject {
  constructor(private readonly unitOfWork: UnitOfWork<'projects' | 'tagBindings' | 'rowLocks' | 'audit'>) {}

  /** Throws `project/not-removable` for the default project, and for one that has workspaces. */
  execute(actor: Actor, id: ProjectId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: project, done } = changing(actor, await tx.projects.findFor(actor, id), 'projects/delete');
      // Workspaces that are being created in it, or moved to it, either commit first or find it gone.
      if (!(await tx.rowLocks.take({ kind: 'project', id }))) throw notFound();
      checkRemovable(project, await tx.projects.hasWorkspaces(id));
      await tx.tagBindings.unbindAll({ kind: 'project', id });
      await tx.projects.remove(id);
      await tx.audit.add(done(id), project);
    });
  }
}
