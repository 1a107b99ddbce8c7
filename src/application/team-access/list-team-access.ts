import { type Actor, seenBy, type TeamId, teamAccessVisibility, type WorkspaceId } from '../../domain/index.js';
import type { Page, PageRequest } from '../ports/page.js';
import type { TeamWorkspaceView } from '../ports/team-workspace-repository.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

export interface TeamAccessQuery {
  readonly workspaceId: WorkspaceId;
  /** Only this team's, when given. */
  readonly teamId: TeamId | undefined;
  /** Everything at once, when not given. */
  readonly page: PageRequest | undefined;
}

/** GET /team-workspaces?filter[workspace][id]=…: the rows of the teams the caller may know of. */
export class ListTeamAccess {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  execute(actor: Actor, { page, ...query }: TeamAccessQuery): Promise<Page<TeamWorkspaceView>> {
    return this.unitOfWork.read(async (tx) => {
      const { standing } = seenBy(await tx.workspaces.findIdFor(actor, query.workspaceId), 'team-access/list');
      return tx.teamAccess.page({ ...query, visibility: teamAccessVisibility(standing) }, page);
    });
  }
}
