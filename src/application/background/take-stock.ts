import { later, type RunStatus } from '../../domain/index.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Backlog } from '../ports/repositories/effect-outbox.js';
import type { OrganizationBytes } from '../ports/repositories/kept-bytes.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { type Lane, laneOf } from './perform-effects.js';

/** More than that of anything is not counted: it is alarming as it is, and counting it would take long. */
const most = 10_000;

const soonDays = 7;

/** More would be more labels than are worth keeping. */
const mostOrganizations = 100;

/** What waits and what will end, for whoever watches the service. */
export interface Stock {
  readonly effects: readonly (Omit<Backlog, 'kind'> & { readonly lane: Lane })[];
  /** Runs that wait for their workspace, or for an agent. */
  readonly runs: ReadonlyMap<RunStatus, number>;
  /** Tokens of teams that end within seven days, and those that have ended and are still there. */
  readonly teamTokens: { readonly expiring: number; readonly expired: number };
  /** The organizations that keep the most, largest first. */
  readonly organizations: readonly OrganizationBytes[];
}

/** Looks at the whole database. Each statement reads a range of an index, and no more of it than is counted. */
export class TakeStock {
  constructor(
    private readonly unitOfWork: UnitOfWork<'tokens' | 'runs' | 'keptBytes' | 'effects'>,
    private readonly clock: Clock,
  ) {}

  execute(): Promise<Stock> {
    const now = this.clock.now();
    return this.unitOfWork.read(async (tx) => {
      const backlog = await tx.effects.backlog(now, most);
      return {
        effects: backlog.map(({ kind, ...rest }) => ({ ...rest, lane: laneOf(kind) })),
        runs: await tx.runs.countWaiting(most),
        teamTokens: await tx.tokens.countExpiring(now, later(now, soonDays * 24 * 3600), most),
        organizations: await tx.keptBytes.largest(mostOrganizations),
      };
    });
  }
}
