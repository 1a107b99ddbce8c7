import { later } from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { doneBySystem } from '../../../domain/supporting/audit/audit-event.js';
import { attemptSeconds } from '../../files/attempt-age.js';
import { discard } from '../../files/discard.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

const batch = 100;

/** Discards the archives of policy set versions that neither a set nor a run in progress needs any more. */
export class DiscardPolicyArchives {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policySetVersions' | 'effects' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the number discarded, at most one batch. Archives superseded a short time ago are kept: a run whose creation
   * has begun may still refer to them.
   */
  execute(): Promise<number> {
    return this.unitOfWork.run(async (tx) => {
      const now = this.clock.now();
      const versions = await tx.policySetVersions.unneeded(later(now, -attemptSeconds.abandoned), batch);
      for (const version of versions) {
        await tx.policySetVersions.save(revised(version, { bundle: null, updatedAt: now }));
        await discard(tx, version.bundle === null ? [] : [version.bundle.key]);
        await tx.audit.add(doneBySystem('policy-sets/discard', version.id), version);
      }
      return versions.length;
    });
  }
}
