import { type Actor, authorized, notFound, type TeamWorkspaceId } from '../../domain/index.js';
import { doneBy } from '../../domain/supporting/audit/audit-event.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** DELETE /team-workspaces/:id: revokes the team's rights on the workspace with immediate effect. */
export class RemoveTeamAccess {
  constructor(private readonly unitOfWork: UnitOfWork<'teamAccess' | 'audit'>) {}

  execute(actor: Actor, id: TeamWorkspaceId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { teamWorkspace } = authorized(await tx.teamAccess.findFor(actor, id), 'team-access/manage');
      if (!(await tx.teamAccess.remove(id))) throw notFound();
      await tx.audit.add(doneBy(actor, 'team-access/manage', id), { workspaceId: teamWorkspace.state.workspaceId });
    });
  }
}
