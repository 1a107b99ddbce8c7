import type { Instant, RunId } from '../../../domain/index.js';
import { doneBySystem } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type ProgressRepositories, type RunProgress, runInTurn } from '../runs/run-progress.js';

const atATime = 50;
/** As long as an agent takes to try a heartbeat again, and a little more. */
const patienceSeconds = 15;

/**
 * Takes runs from agents that fell silent. One that was planning is queued again, for any agent, without what the lost
 * one had reported; one that was applying is errored, since nobody knows how far it came.
 */
export class ReclaimLostRuns {
  constructor(
    private readonly unitOfWork: UnitOfWork<ProgressRepositories | 'audit'>,
    private readonly clock: Clock,
    private readonly progress: RunProgress,
  ) {}

  /** Since when it has been looking without a failure; undefined after one, and before the first look. */
  private lookingSince: Instant | undefined;

  /**
   * Answers those it took. Nothing is taken in the first seconds, and in those after a failure: an agent that could not
   * be heard because the service, or its database, was away must get a chance to speak up. One run's failure is thrown
   * once the others were seen to.
   */
  async execute(): Promise<readonly RunId[]> {
    const now = this.clock.now();
    const since = this.lookingSince;
    this.lookingSince = undefined;
    const lost = await this.unitOfWork.read((tx) => tx.runs.withExpiredLease(now, atATime));
    this.lookingSince = since ?? now;
    if (Date.parse(now) - Date.parse(this.lookingSince) < patienceSeconds * 1000) return [];
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
      const run = await runInTurn(tx, id);
      // Meanwhile the agent may have spoken up, or another process been faster.
      if (run?.state.lease == null || run.state.lease.expiresAt > this.clock.now()) return false;
      const failure = `the agent ${run.state.lease.agent} was lost during the apply; check the state before you apply again`;
      if (run.allows('lose-plan')) await this.progress.fire(tx, run, 'lose-plan');
      else await this.progress.fire(tx, run, 'fail', { failure });
      await tx.audit.add(doneBySystem('runs/reclaim', id), run.state);
      return true;
    });
  }
}
