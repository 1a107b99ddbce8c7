import { type Actor, authorized, type TeamWorkspaceId } from '../../domain/index.js';
import type { TeamWorkspaceView } from '../ports/repositories/team-workspace-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** GET /team-workspaces/:id. */
export class ShowTeamAccess {
  constructor(private readonly unitOfWork: UnitOfWork<'teamAccess'>) {}

  execute(actor: Actor, id: TeamWorkspaceId): Promise<TeamWorkspaceView> {
    return this.unitOfWork.read(async (tx) => authorized(await tx.teamAccess.findFor(actor, id), 'team-access/read'));
  }
}
