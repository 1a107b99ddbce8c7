import type { RunId } from '../../domain/index.js';
import type { Clock } from '../ports/clock.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import { type RunProgress, runInTurn } from '../runs/run-progress.js';

const atATime = 50;

/**
 * Takes runs from agents that fell silent. One that was planning is queued again, for any agent, without what the lost
 * one had reported; one that was applying is errored, since nobody knows how far it came.
 */
export class ReclaimLostRuns {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly progress: RunProgress,
  ) {}

  /** Answers those it took. */
  async execute(): Promise<readonly RunId[]> {
    const lost = await this.unitOfWork.read((tx) => tx.runs.withExpiredLease(this.clock.now(), atATime));
    const taken: RunId[] = [];
    for (const id of lost) if (await this.take(id)) taken.push(id);
    return taken;
  }

  private take(id: RunId): Promise<boolean> {
    return this.unitOfWork.run(async (tx) => {
      const run = await runInTurn(tx, id);
      // Meanwhile the agent may have spoken up, or another process been faster.
      if (run?.state.lease == null || run.state.lease.expiresAt > this.clock.now()) return false;
      const failure = `the agent ${run.state.lease.agent} was lost while it applied; look at the state before you apply again`;
      if (run.allows('lose-plan')) await this.progress.fire(tx, run, 'lose-plan');
      else await this.progress.fire(tx, run, 'fail', { failure });
      return true;
    });
  }
}
