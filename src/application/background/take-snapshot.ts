import { later, type RunStatus } from '../../domain/index.js';
import type { Clock } from '../ports/outside/clock.js';
import { type Lane, laneOf } from '../ports/repositories/effect-lanes.js';
import type { Backlog } from '../ports/repositories/effect-outbox.js';
import type { OrganizationBytes } from '../ports/repositories/kept-bytes.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** Counts stop here: a larger backlog is alarming in any case, and counting it would be slow. */
const max = 10_000;

const soonDays = 7;

/** Bounds the number of metric labels. */
const maxOrganizations = 100;

/** The backlog and upcoming expirations, for monitoring. */
export interface Snapshot {
  readonly effects: readonly (Omit<Backlog, 'kind'> & { readonly lane: Lane })[];
  /** Runs that wait for their workspace or for an agent. */
  readonly runs: ReadonlyMap<RunStatus, number>;
  /** Team tokens that expire within seven days, and expired ones not yet removed. */
  readonly teamTokens: { readonly expiring: number; readonly expired: number };
  /** Workspaces in deleted organizations, whose data is being removed. */
  readonly workspacesToRemove: number;
  /** The organizations that keep the most bytes, largest first. */
  readonly organizations: readonly OrganizationBytes[];
}

/** Surveys the whole database. Each statement reads only as much of an index range as it counts. */
export class TakeSnapshot {
  constructor(
    private readonly unitOfWork: UnitOfWork<'tokens' | 'runs' | 'keptBytes' | 'effects' | 'removals'>,
    private readonly clock: Clock,
  ) {}

  execute(): Promise<Snapshot> {
    const now = this.clock.now();
    return this.unitOfWork.read(async (tx) => {
      const backlog = await tx.effects.backlog(now, max);
      return {
        effects: backlog.map(({ kind, ...rest }) => ({ ...rest, lane: laneOf(kind) })),
        runs: await tx.runs.countWaiting(max),
        teamTokens: await tx.tokens.countExpiring(now, later(now, soonDays * 24 * 3600), max),
        workspacesToRemove: await tx.removals.countWorkspaces(max),
        organizations: await tx.keptBytes.largest(maxOrganizations),
      };
    });
  }
}
