import { checkCovered } from '../../domain/authorization/covered-grant.js';
import {
  type Actor,
  notFound,
  type ProjectAccessLevel,
  type ProjectId,
  type RequestedInProject,
  type TeamId,
} from '../../domain/index.js';
import { changing } from '../../domain/supporting/audit/change.js';
import { checkGrantable } from '../../domain/supporting/teams/team.js';
import { newProjectGrant } from '../../domain/team-access/team-project.js';
import type { IdGenerator } from '../ports/outside/id-generator.js';
import type { TeamProjectView } from '../ports/repositories/team-project-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

export interface NewProjectAccess {
  readonly projectId: ProjectId;
  readonly teamId: TeamId;
  readonly access: ProjectAccessLevel;
  readonly permissions: RequestedInProject;
}

/** POST /team-projects: grants a team rights on a project of its organization. */
export class AddProjectAccess {
  constructor(
    private readonly unitOfWork: UnitOfWork<'teams' | 'projectAccess' | 'projects' | 'audit'>,
    private readonly ids: IdGenerator,
  ) {}

  execute(actor: Actor, command: NewProjectAccess): Promise<TeamProjectView> {
    return this.unitOfWork.run(async (tx) => {
      const [seen, seenTeam] = await Promise.all([
        tx.projects.findFor(actor, command.projectId),
        tx.teams.findFor(actor, command.teamId),
      ]);
      const { subject: project, standing, done } = changing(actor, seen, 'project-access/manage');
      const team = seenTeam?.subject;
      if (team?.organizationId !== project.organizationId) throw notFound();
      checkGrantable(team);
      const grant = newProjectGrant(command.access, command.permissions);
      checkCovered(standing, grant);
      const added: TeamProjectView = {
        id: this.ids.next('team-project'),
        teamId: team.id,
        projectId: project.id,
        organizationId: project.organizationId,
        grant,
        revision: 0,
      };
      await tx.projectAccess.add(added);
      await tx.audit.add(done(added.id), project);
      return added;
    });
  }
}
