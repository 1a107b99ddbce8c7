import type { Actor, PolicySetId } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** DELETE /policy-sets/:id. It still applies to existing runs. */
export class RemovePolicySet {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policySets' | 'policySetVersions' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, id: PolicySetId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: removed, done } = changing(actor, await tx.policySets.findFor(actor, id), 'policy-sets/manage');
      if (removed.versions !== null) await tx.policySetVersions.release(id, this.clock.now());
      await tx.policySets.remove(id);
      await tx.audit.add(done(id), removed);
    });
  }
}
