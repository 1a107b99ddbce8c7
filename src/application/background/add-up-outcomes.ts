import { firstOfDays, maxOutcomeDays } from '../policy-outcomes/count-policy-outcomes.js';
import type { Clock } from '../ports/outside/clock.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** In one transaction, which holds up everything else on SQLite: some 20 milliseconds. */
const atATime = { runs: 50, sums: 500 };

/** Adds up the policy outcomes of runs that ended, for `CountPolicyOutcomes`. */
export class AddUpOutcomes {
  constructor(
    private readonly unitOfWork: UnitOfWork<'outcomeCounts'>,
    private readonly clock: Clock,
  ) {}

  /** Adds some up. Safe to run concurrently. Returns whether there may be more. */
  async execute(): Promise<boolean> {
    const oldest = firstOfDays(maxOutcomeDays, this.clock.now());
    return (await this.unitOfWork.run((tx) => tx.outcomeCounts.advance(oldest, atATime.runs))) === atATime.runs;
  }

  /** Forgets some sums of days that are not counted any more. Returns whether there may be more. */
  async forget(): Promise<boolean> {
    // A day more, so that a count that began before midnight finds all sums of its first day, or none.
    const oldest = firstOfDays(maxOutcomeDays + 1, this.clock.now());
    return (await this.unitOfWork.run((tx) => tx.outcomeCounts.forget(oldest, atATime.sums))) === atATime.sums;
  }
}
