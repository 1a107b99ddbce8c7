import { checkLasting } from '../../../domain/authorization/future.js';
import {
  type Actor,
  authorize,
  authorizedView,
  DomainError,
  type ProjectId,
  type WorkspaceId,
  workspaceVisibility,
} from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** POST /projects/:id/relationships/workspaces: moves workspaces of the organization to the project. */
export class MoveWorkspaces {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'projects' | 'workspaces' | 'rowLocks' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  /** Throws `attribute/invalid` for a workspace that is not in the organization, or that the caller may not read. */
  execute(actor: Actor, id: ProjectId, workspaceIds: readonly WorkspaceId[]): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      await tx.rowLocks.share({ kind: 'project', id });
      const {
        subject: project,
        standing: onProject,
        done,
      } = changing(actor, await tx.projects.findFor(actor, id), 'projects/move-workspaces');
      const organization = await tx.organizations.findFor(actor, project.organizationName);
      const { standing } = authorizedView(organization, 'organizations/read');
      const wanted = [...new Set(workspaceIds)];
      const visibility = workspaceVisibility(standing);
      const found = await tx.workspaces.visibleWithStanding(project.organizationId, standing, visibility, wanted);
      if (found.length < wanted.length) {
        const sentence = 'Workspaces must be workspaces of the organization that you can see';
        throw new DomainError('attribute/invalid', sentence, { member: 'data' });
      }
      const leaving = found.filter(({ subject }) => subject.projectId !== id);
      for (const workspace of leaving) authorize(workspace.standing, 'workspaces/update');
      const moved = leaving.map(({ subject }) => subject.id).sort();
      if (moved.length === 0) return;
      checkLasting(onProject, 'projects/move-workspaces', { member: 'data' });
      for (const workspace of leaving) checkLasting(workspace.standing, 'workspaces/update', { member: 'data' });
      await tx.workspaces.moveTo(id, moved, this.clock.now());
      const detail = { workspaces: moved.map((workspaceId) => ({ id: workspaceId })) };
      await tx.audit.add(done(id, detail), project);
    });
  }
}
