import { checkCovered } from '../../domain/authorization/covered-grant.js';
import type { Actor, ProjectAccessLevel, RequestedInProject, TeamProjectId, Unnamed } from '../../domain/index.js';
import { changing } from '../../domain/supporting/audit/change.js';
import { changedProjectGrant } from '../../domain/team-access/team-project.js';
import type { TeamProjectView } from '../ports/repositories/team-project-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** Unnamed settings keep their value. */
export interface ProjectAccessChange {
  readonly access: ProjectAccessLevel | undefined;
  readonly permissions: RequestedInProject;
  readonly unnamed: Unnamed;
}

/** PATCH /team-projects/:id. */
export class UpdateProjectAccess {
  constructor(private readonly unitOfWork: UnitOfWork<'projectAccess' | 'audit'>) {}

  execute(actor: Actor, id: TeamProjectId, change: ProjectAccessChange): Promise<TeamProjectView> {
    return this.unitOfWork.run(async (tx) => {
      const {
        subject: current,
        standing,
        done,
      } = changing(actor, await tx.projectAccess.findFor(actor, id), 'project-access/manage');
      checkCovered(standing, current.grant);
      const grant = changedProjectGrant(current.grant, change.access, change.permissions, change.unnamed);
      checkCovered(standing, grant);
      const next = { ...current, grant, revision: current.revision + 1 };
      await tx.projectAccess.save(next);
      await tx.audit.add(done(id), next);
      return next;
    });
  }
}
