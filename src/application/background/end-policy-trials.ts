import { type Instant, later, type PolicyTrialId, trialLimits } from '../../domain/index.js';
import { overdueTrial } from '../../domain/policy-outcomes/policy-trial.js';
import { doneBySystem } from '../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../ports/outside/clock.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

const atATime = 50;

/** Fails the trials whose time has passed, and removes those that are too old. */
export class EndPolicyTrials {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policyTrials' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  /** Returns the ids of the failed trials. */
  async execute(): Promise<readonly PolicyTrialId[]> {
    const now = this.clock.now();
    const { overdue, old } = await this.unitOfWork.read((tx) =>
      tx.policyTrials.ended(now, later(now, -trialLimits.keptSeconds), atATime),
    );
    const failed: PolicyTrialId[] = [];
    for (const id of overdue) if (await this.fail(id, now)) failed.push(id);
    for (const id of old) await this.unitOfWork.run((tx) => tx.policyTrials.remove(id));
    return failed;
  }

  /** False if an agent or another process was faster. */
  private fail(id: PolicyTrialId, now: Instant): Promise<boolean> {
    return this.unitOfWork.run(async (tx) => {
      const trial = await tx.policyTrials.findLocked(id);
      const failed = trial && overdueTrial(trial, now);
      if (failed === undefined || failed === trial) return false;
      await tx.policyTrials.save(failed);
      await tx.audit.add(doneBySystem('policy-trials/end', id), failed);
      return true;
    });
  }
}
