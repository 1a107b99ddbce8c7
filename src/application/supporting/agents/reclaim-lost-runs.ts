import type { Instant, RunId } from '../../../domain/index.js';
import { doneBySystem } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { lockedRun, type ProgressRepositories, type RunProgress } from '../runs/run-progress.js';

const atATime = 50;
/** Slightly longer than an agent takes to retry a heartbeat. */
const graceSeconds = 15;

/**
 * Takes runs back from lost agents. A run in planning is queued again for any agent, without the lost agent's reports;
 * a run in applying is errored, since its progress is unknown.
 */
export class ReclaimLostRuns {
  constructor(
    private readonly unitOfWork: UnitOfWork<ProgressRepositories | 'audit'>,
    private readonly clock: Clock,
    private readonly progress: RunProgress,
  ) {}

  /** The start of the current period without failures; undefined after a failure and before the first check. */
  private lookingSince: Instant | undefined;

  /**
   * Returns the runs taken back. None is taken in the first seconds and after a failure: an agent whose heartbeats
   * failed because the service or its database was unavailable must get a chance to retry. The failure of one run is
   * thrown after the others were handled.
   */
  async execute(): Promise<readonly RunId[]> {
    const now = this.clock.now();
    const since = this.lookingSince;
    this.lookingSince = undefined;
    const lost = await this.unitOfWork.read((tx) => tx.runs.withExpiredLease(now, atATime));
    this.lookingSince = since ?? now;
    if (Date.parse(now) - Date.parse(this.lookingSince) < graceSeconds * 1000) return [];
    const taken: RunId[] = [];
    const failures: unknown[] = [];
    for (const id of lost) {
      await this.take(id).then(
        (took) => took && taken.push(id),
        (error: unknown) => failures.push(error),
      );
    }
    if (failures.length > 0) throw failures[0];
    return taken;
  }

  private take(id: RunId): Promise<boolean> {
    return this.unitOfWork.run(async (tx) => {
      const run = await lockedRun(tx, id);
      // Meanwhile the agent may have renewed the lease, or another process may have taken the run.
      if (run?.state.lease == null || run.state.lease.expiresAt > this.clock.now()) return false;
      const failure = `the agent ${run.state.lease.agent} was lost during the apply; check the state before you apply again`;
      if (run.allows('lose-plan')) await this.progress.fire(tx, run, 'lose-plan');
      else await this.progress.fire(tx, run, 'fail', { failure });
      await tx.audit.add(doneBySystem('runs/reclaim', id), run.state);
      return true;
    });
  }
}
