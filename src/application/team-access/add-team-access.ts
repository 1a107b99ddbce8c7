import {
  type AccessLevel,
  type Actor,
  newGrant,
  notFound,
  type RequestedPermissions,
  type TeamId,
  type WorkspaceId,
} from '../../domain/index.js';
import { changing } from '../../domain/supporting/audit/change.js';
import { checkGrantable } from '../../domain/supporting/teams/team.js';
import type { IdGenerator } from '../ports/outside/id-generator.js';
import { inWorkspace } from '../ports/repositories/audit-trail.js';
import type { TeamWorkspaceView } from '../ports/repositories/team-workspace-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

export interface NewTeamAccess {
  readonly workspaceId: WorkspaceId;
  readonly teamId: TeamId;
  readonly access: AccessLevel;
  readonly permissions: RequestedPermissions;
}

/** POST /team-workspaces: grants a team rights on a workspace of its organization. */
export class AddTeamAccess {
  constructor(
    private readonly unitOfWork: UnitOfWork<'teams' | 'teamAccess' | 'workspaces' | 'audit'>,
    private readonly ids: IdGenerator,
  ) {}

  execute(actor: Actor, command: NewTeamAccess): Promise<TeamWorkspaceView> {
    return this.unitOfWork.run(async (tx) => {
      const [seen, seenTeam] = await Promise.all([
        tx.workspaces.findFor(actor, command.workspaceId),
        tx.teams.findFor(actor, command.teamId),
      ]);
      const { subject: workspace, done } = changing(actor, seen, 'team-access/manage');
      // Secret teams are included: a caller who manages a workspace sees every team with access to it.
      const team = seenTeam?.subject;
      if (team?.organizationId !== workspace.organizationId) throw notFound();
      checkGrantable(team);
      const added: TeamWorkspaceView = {
        id: this.ids.next('team-workspace'),
        teamId: team.id,
        workspaceId: workspace.id,
        organizationName: workspace.organizationName,
        workspaceName: workspace.name,
        grant: newGrant(command.access, command.permissions),
        revision: 0,
      };
      await tx.teamAccess.add(added);
      await tx.audit.add(done(added.id), inWorkspace(workspace));
      return added;
    });
  }
}
