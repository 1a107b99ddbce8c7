import type { Actor, PolicyId, PolicySetId } from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { checkNotVersioned } from '../../../domain/supporting/policies/policy-set.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { withPolicies } from './attachable-policies.js';

/** POST and DELETE of /policy-sets/:id/relationships/policies. Existing runs keep their snapshot of the set. */
export class ChangePoliciesOfSet {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policySets' | 'policies' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, id: PolicySetId, change: 'attach' | 'detach', policyIds: readonly PolicyId[]): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: policySet, done } = changing(
        actor,
        await tx.policySets.findFor(actor, id),
        'policy-sets/manage',
      );
      if (change === 'attach') checkNotVersioned(policySet, { member: 'data' });
      const next = revised(policySet, {
        policyIds:
          change === 'detach'
            ? policySet.policyIds.filter((one) => !policyIds.includes(one))
            : await withPolicies(tx, policySet, policyIds, { member: 'data' }),
        updatedAt: this.clock.now(),
      });
      await tx.policySets.save(next);
      await tx.audit.add(done(id), next);
    });
  }
}
