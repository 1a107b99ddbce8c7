import type { Actor } from '../../domain/index.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Place, Slice } from '../ports/repositories/page.js';
import type { TeamWorkspaceView } from '../ports/repositories/team-workspace-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { listableTeamAccess, type TeamAccessQuery } from './list-team-access.js';

/**
 * Most workspaces have fewer. With 100, the two statements per slice make a row 50% more expensive on Postgres; with
 * 500, eight readers take 60 MiB more, since rows waiting to be written survive to the old generation, which V8
 * collects late.
 */
const rowsAtOnce = 250;

/**
 * GET /team-workspaces?filter[workspace][id]=… without a page, slice by slice. Nothing is held between slices, and each
 * checks the caller's rights again: a client may take an hour to read the whole list.
 */
export class ListWholeTeamAccess {
  constructor(
    private readonly unitOfWork: UnitOfWork<'teamAccess' | 'workspaces'>,
    private readonly clock: Clock,
  ) {}

  /** Starts with the first row, or after a place. */
  execute(actor: Actor, query: TeamAccessQuery, after: Place | undefined): Promise<Slice<TeamWorkspaceView>> {
    return this.unitOfWork.read(async (tx) =>
      tx.teamAccess.slice(await listableTeamAccess(tx, this.clock, actor, query), after, rowsAtOnce),
    );
  }
}
