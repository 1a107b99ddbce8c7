import { checkCovered } from '../../domain/authorization/covered-grant.js';
import type { Actor, TeamProjectId } from '../../domain/index.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { noteEndInProject } from './access-ends.js';

/** DELETE /team-projects/:id: revokes the team's rights on the project with immediate effect. */
export class RemoveProjectAccess {
  constructor(private readonly unitOfWork: UnitOfWork<'projectAccess' | 'audit'>) {}

  execute(actor: Actor, id: TeamProjectId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const {
        subject: removed,
        standing,
        done,
      } = changing(actor, await tx.projectAccess.findFor(actor, id), 'project-access/manage');
      checkCovered(standing, removed.teamProject.state.grant);
      await tx.projectAccess.remove(removed.teamProject);
      if (removed.isDue) await noteEndInProject(tx, removed);
      await tx.audit.add(done(id), removed);
    });
  }
}
