import { type Actor, type GrantChange, TeamWorkspace, type TeamWorkspaceId } from '../../domain/index.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { TeamWorkspaceView } from '../ports/repositories/team-workspace-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** PATCH /team-workspaces/:id. */
export class UpdateTeamAccess {
  constructor(private readonly unitOfWork: UnitOfWork<'teamAccess' | 'audit'>) {}

  execute(actor: Actor, id: TeamWorkspaceId, change: GrantChange): Promise<TeamWorkspaceView> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: current, done } = changing(actor, await tx.teamAccess.findFor(actor, id), 'team-access/manage');
      const teamWorkspace = TeamWorkspace.restore(current.teamWorkspace).change(change);
      await tx.teamAccess.save(teamWorkspace);
      await tx.audit.add(done(id), { workspaceId: teamWorkspace.state.workspaceId });
      return { ...current, teamWorkspace: teamWorkspace.state };
    });
  }
}
