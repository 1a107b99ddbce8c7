import { type Actor, authorizedView, type TeamId, teamAccessVisibility, type WorkspaceId } from '../../domain/index.js';
import type { Page, PageRequest } from '../ports/repositories/page.js';
import type { TeamAccessFilter, TeamWorkspaceView } from '../ports/repositories/team-workspace-repository.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';

export interface TeamAccessQuery {
  readonly workspaceId: WorkspaceId;
  /** Limits the list to one team, if set. */
  readonly teamId: TeamId | undefined;
}

/** Limits the query to teams the caller can see. */
export const listableTeamAccess = async (
  tx: Transaction<'workspaces'>,
  actor: Actor,
  { workspaceId, teamId }: TeamAccessQuery,
): Promise<TeamAccessFilter> => {
  const { standing } = authorizedView(await tx.workspaces.findIdFor(actor, workspaceId), 'team-access/list');
  return { workspaceId, teamId, visibility: teamAccessVisibility(standing) };
};

/** GET /team-workspaces?filter[workspace][id]=…&page[number]=… */
export class ListTeamAccess {
  constructor(private readonly unitOfWork: UnitOfWork<'teamAccess' | 'workspaces'>) {}

  execute(actor: Actor, query: TeamAccessQuery, page: PageRequest): Promise<Page<TeamWorkspaceView>> {
    return this.unitOfWork.read(async (tx) => tx.teamAccess.page(await listableTeamAccess(tx, actor, query), page));
  }
}
