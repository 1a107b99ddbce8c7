import { checkCovered } from '../../domain/authorization/covered-grant.js';
import type { Actor, ProjectGrantChange, TeamProjectId } from '../../domain/index.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { Clock } from '../ports/outside/clock.js';
import type { TeamProjectView } from '../ports/repositories/team-project-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { noteEndInProject, projectBounds } from './access-ends.js';

/** PATCH /team-projects/:id. */
export class UpdateProjectAccess {
  constructor(
    private readonly unitOfWork: UnitOfWork<'projectAccess' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, id: TeamProjectId, change: ProjectGrantChange): Promise<TeamProjectView> {
    return this.unitOfWork.run(async (tx) => {
      const {
        subject: current,
        standing,
        done,
      } = changing(actor, await tx.projectAccess.findFor(actor, id), 'project-access/manage');
      checkCovered(standing, current.teamProject.state.grant);
      const teamProject = current.teamProject.change(change, projectBounds(this.clock, standing));
      checkCovered(standing, teamProject.state.grant);
      await tx.projectAccess.save(teamProject);
      if (current.isDue) await noteEndInProject(tx, current);
      await tx.audit.add(done(id), current);
      return { ...current, teamProject };
    });
  }
}
