import { checkCovered } from '../../domain/authorization/covered-grant.js';
import {
  type Actor,
  notFound,
  type ProjectId,
  type RequestedProjectGrant,
  type TeamId,
  TeamProject,
} from '../../domain/index.js';
import { foundInBody } from '../../domain/shared/domain-error.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { Clock } from '../ports/outside/clock.js';
import type { IdGenerator } from '../ports/outside/id-generator.js';
import type { TeamProjectView } from '../ports/repositories/team-project-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { endProjectAccess, projectBounds } from './access-ends.js';

export interface NewProjectAccess extends RequestedProjectGrant {
  readonly projectId: ProjectId;
  readonly teamId: TeamId;
}

/** POST /team-projects: grants a team rights on a project of its organization. */
export class AddProjectAccess {
  constructor(
    private readonly unitOfWork: UnitOfWork<'teams' | 'projectAccess' | 'projects' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute(actor: Actor, command: NewProjectAccess): Promise<TeamProjectView> {
    return this.unitOfWork.run(async (tx) => {
      const [seen, seenTeam, ended] = await Promise.all([
        tx.projects.findFor(actor, command.projectId),
        tx.teams.findFor(actor, command.teamId),
        tx.projectAccess.findDue(command),
      ]);
      const {
        subject: project,
        standing,
        done,
      } = foundInBody('Project', { relationship: 'project' }, () => changing(actor, seen, 'project-access/manage'));
      const id = this.ids.next('team-project');
      const teamProject = foundInBody('Team', { relationship: 'team' }, () => {
        if (seenTeam === undefined) throw notFound();
        return TeamProject.grant(id, seenTeam.subject, project, command, projectBounds(this.clock, standing));
      });
      checkCovered(standing, teamProject.state.grant);
      if (ended !== undefined) await endProjectAccess(tx, ended);
      await tx.projectAccess.add(teamProject);
      await tx.audit.add(done(id), project);
      return { teamProject, organizationId: project.organizationId };
    });
  }
}
