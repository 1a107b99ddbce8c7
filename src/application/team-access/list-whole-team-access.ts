import type { Actor } from '../../domain/index.js';
import type { Place, Slice } from '../ports/repositories/page.js';
import type { TeamWorkspaceView } from '../ports/repositories/team-workspace-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { listableTeamAccess, type TeamAccessQuery } from './list-team-access.js';

/**
 * Most workspaces have fewer. Of 100, the two statements for each slice make a row half as dear again on Postgres; of 500,
 * eight readers take 60 MiB more, since rows that wait to be written grow old, and V8 collects what is old late.
 */
const rowsAtOnce = 250;

/**
 * GET /team-workspaces?filter[workspace][id]=… without a page, slice by slice. Between two of them nothing is held, and
 * each asks anew what the caller may see: a client may take an hour to read the whole list.
 */
export class ListWholeTeamAccess {
  constructor(private readonly unitOfWork: UnitOfWork<'teamAccess' | 'workspaces'>) {}

  /** Begins with the first row, or after a place. */
  execute(actor: Actor, query: TeamAccessQuery, after: Place | undefined): Promise<Slice<TeamWorkspaceView>> {
    return this.unitOfWork.read(async (tx) =>
      tx.teamAccess.slice(await listableTeamAccess(tx, actor, query), after, rowsAtOnce),
    );
  }
}
