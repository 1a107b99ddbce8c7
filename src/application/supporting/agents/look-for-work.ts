import type { Agent } from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** For agents that wait: whether there is a run, or for those that accept trials a trial, that one of their pool could claim. */
export class LookForWork {
  constructor(
    private readonly unitOfWork: UnitOfWork<'runs' | 'policyTrials'>,
    private readonly clock: Clock,
  ) {}

  execute(agent: Pick<Agent, 'poolId' | 'organizationId'>, acceptsTrials: boolean): Promise<boolean> {
    return this.unitOfWork.read(async (tx) => {
      if ((await tx.runs.nextClaimable(agent)) !== undefined) return true;
      return acceptsTrials && (await tx.policyTrials.nextPart(agent, this.clock.now())) !== undefined;
    });
  }
}
