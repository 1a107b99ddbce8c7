import type { Instant, RunStatus } from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type LeaseHolder, leasedRun, leaseEnd } from './lease-holder.js';

export interface RenewedLease {
  readonly expiresAt: Instant;
  readonly status: RunStatus;
  /** Whether the run's cancellation was requested: the agent must stop it and report that. */
  readonly cancel: boolean;
}

/** POST /agent/v1/runs/:id/heartbeat. Throws `lease/lost`. */
export class RenewLease {
  constructor(
    private readonly unitOfWork: UnitOfWork<'runs'>,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
  ) {}

  execute(holder: LeaseHolder): Promise<RenewedLease> {
    return this.unitOfWork.run(async (tx) => {
      const run = await leasedRun(tx, this.secrets, holder);
      const { lease, status, cancelRequested } = run.state;
      const expiresAt = leaseEnd(this.clock.now());
      await tx.runs.save(run.with({ lease: lease && { ...lease, expiresAt } }));
      return { expiresAt, status, cancel: cancelRequested };
    });
  }
}
