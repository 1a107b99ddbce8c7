import type { Agent } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** For agents that wait: whether there is a run that one of their pool could claim. */
export class LookForRun {
  constructor(private readonly unitOfWork: UnitOfWork<'runs'>) {}

  async execute(agent: Pick<Agent, 'poolId' | 'organizationId'>): Promise<boolean> {
    return (await this.unitOfWork.read((tx) => tx.runs.nextClaimable(agent))) !== undefined;
  }
}
