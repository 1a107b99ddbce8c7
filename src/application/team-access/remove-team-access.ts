import { type Actor, notFound, type TeamWorkspaceId } from '../../domain/index.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { noteEnd } from './access-ends.js';

/** DELETE /team-workspaces/:id: revokes the team's rights on the workspace with immediate effect. */
export class RemoveTeamAccess {
  constructor(private readonly unitOfWork: UnitOfWork<'teamAccess' | 'audit'>) {}

  execute(actor: Actor, id: TeamWorkspaceId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const {
        subject: { teamWorkspace, isDue },
        done,
      } = changing(actor, await tx.teamAccess.findFor(actor, id), 'team-access/manage');
      if (!(await tx.teamAccess.remove(id))) throw notFound();
      if (isDue) await noteEnd(tx, teamWorkspace);
      await tx.audit.add(done(id), { workspaceId: teamWorkspace.workspaceId });
    });
  }
}
