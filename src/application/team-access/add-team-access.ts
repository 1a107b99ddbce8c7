import {
  type Actor,
  notFound,
  type RequestedGrant,
  type TeamId,
  TeamWorkspace,
  type WorkspaceId,
} from '../../domain/index.js';
import { foundInBody } from '../../domain/shared/domain-error.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { Clock } from '../ports/outside/clock.js';
import type { IdGenerator } from '../ports/outside/id-generator.js';
import { inWorkspace } from '../ports/repositories/audit-trail.js';
import type { TeamWorkspaceView } from '../ports/repositories/team-workspace-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { endAccess, workspaceBounds } from './access-ends.js';

export interface NewTeamAccess extends RequestedGrant {
  readonly workspaceId: WorkspaceId;
  readonly teamId: TeamId;
}

/** POST /team-workspaces: grants a team rights on a workspace of its organization. */
export class AddTeamAccess {
  constructor(
    private readonly unitOfWork: UnitOfWork<'teams' | 'teamAccess' | 'workspaces' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute(actor: Actor, command: NewTeamAccess): Promise<TeamWorkspaceView> {
    return this.unitOfWork.run(async (tx) => {
      const [seen, seenTeam, ended] = await Promise.all([
        tx.workspaces.findFor(actor, command.workspaceId),
        tx.teams.findFor(actor, command.teamId),
        tx.teamAccess.findDue(command),
      ]);
      const {
        subject: workspace,
        standing,
        done,
      } = foundInBody('Workspace', { relationship: 'workspace' }, () => changing(actor, seen, 'team-access/manage'));
      // Secret teams are included: a caller who manages a workspace sees every team with access to it.
      const id = this.ids.next('team-workspace');
      const teamWorkspace = foundInBody('Team', { relationship: 'team' }, () => {
        if (seenTeam === undefined) throw notFound();
        return TeamWorkspace.grant(id, seenTeam.subject, workspace, command, workspaceBounds(this.clock, standing));
      });
      if (ended !== undefined) await endAccess(tx, ended);
      await tx.teamAccess.add(teamWorkspace);
      await tx.audit.add(done(id), inWorkspace(workspace));
      const { organizationName, name: workspaceName } = workspace;
      return { teamWorkspace: teamWorkspace.state, organizationName, workspaceName };
    });
  }
}
