import { type Actor, type GrantChange, TeamWorkspace, type TeamWorkspaceId } from '../../domain/index.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { Clock } from '../ports/outside/clock.js';
import type { TeamWorkspaceView } from '../ports/repositories/team-workspace-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { noteEnd, workspaceBounds } from './access-ends.js';

/** PATCH /team-workspaces/:id. */
export class UpdateTeamAccess {
  constructor(
    private readonly unitOfWork: UnitOfWork<'teamAccess' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, id: TeamWorkspaceId, change: GrantChange): Promise<TeamWorkspaceView> {
    return this.unitOfWork.run(async (tx) => {
      const {
        subject: current,
        standing,
        done,
      } = changing(actor, await tx.teamAccess.findFor(actor, id), 'team-access/manage');
      const teamWorkspace = TeamWorkspace.restore(current.teamWorkspace).change(
        change,
        workspaceBounds(this.clock, standing),
      );
      await tx.teamAccess.save(teamWorkspace);
      if (current.isDue) await noteEnd(tx, teamWorkspace.state);
      await tx.audit.add(done(id), { workspaceId: teamWorkspace.state.workspaceId });
      return { ...current, teamWorkspace: teamWorkspace.state };
    });
  }
}
