import { type Actor, authorizedView, type TeamId, teamAccessVisibility, type WorkspaceId } from '../../domain/index.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Page, PageRequest } from '../ports/repositories/page.js';
import type { TeamAccessFilter, TeamWorkspaceView } from '../ports/repositories/team-workspace-repository.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { endsBy } from './access-ends.js';

export interface TeamAccessQuery {
  readonly workspaceId: WorkspaceId;
  /** Limits the list to one team, if set. */
  readonly teamId: TeamId | undefined;
  /** Limits the list to access that ends within this number of days, if set. */
  readonly endsWithinDays: number | undefined;
}

/** Limits the query to teams the caller can see. */
export const listableTeamAccess = async (
  tx: Transaction<'workspaces'>,
  clock: Clock,
  actor: Actor,
  { workspaceId, teamId, endsWithinDays }: TeamAccessQuery,
): Promise<TeamAccessFilter> => {
  const { standing } = authorizedView(await tx.workspaces.findIdFor(actor, workspaceId), 'team-access/list');
  return { workspaceId, teamId, visibility: teamAccessVisibility(standing), endsBy: endsBy(clock, endsWithinDays) };
};

/** GET /team-workspaces?filter[workspace][id]=…&page[number]=… */
export class ListTeamAccess {
  constructor(
    private readonly unitOfWork: UnitOfWork<'teamAccess' | 'workspaces'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, query: TeamAccessQuery, page: PageRequest): Promise<Page<TeamWorkspaceView>> {
    return this.unitOfWork.read(async (tx) =>
      tx.teamAccess.page(await listableTeamAccess(tx, this.clock, actor, query), page),
    );
  }
}
