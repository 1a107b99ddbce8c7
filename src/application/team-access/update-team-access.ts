import { type Actor, authorized, type GrantChange, type TeamWorkspaceId } from '../../domain/index.js';
import { doneBy } from '../../domain/supporting/audit/audit-event.js';
import type { TeamWorkspaceView } from '../ports/repositories/team-workspace-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** PATCH /team-workspaces/:id. */
export class UpdateTeamAccess {
  constructor(private readonly unitOfWork: UnitOfWork<'teamAccess' | 'audit'>) {}

  execute(actor: Actor, id: TeamWorkspaceId, change: GrantChange): Promise<TeamWorkspaceView> {
    return this.unitOfWork.run(async (tx) => {
      const current = authorized(await tx.teamAccess.findFor(actor, id), 'team-access/manage');
      const teamWorkspace = current.teamWorkspace.change(change);
      await tx.teamAccess.save(teamWorkspace);
      await tx.audit.add(doneBy(actor, 'team-access/manage', id), { workspaceId: teamWorkspace.state.workspaceId });
      return { ...current, teamWorkspace };
    });
  }
}
