import { type Actor, authorized, type PolicySetId } from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
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
      const removed = authorized(await tx.policySets.findFor(actor, id), 'policy-sets/manage');
      if (removed.versions !== null) await tx.policySetVersions.release(id, this.clock.now());
      await tx.policySets.remove(id);
      await tx.audit.add(doneBy(actor, 'policy-sets/manage', id), removed);
    });
  }
}
