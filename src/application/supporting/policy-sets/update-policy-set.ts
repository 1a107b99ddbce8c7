import {
  type Actor,
  authorized,
  type PolicySet,
  type PolicySetId,
  type PolicySetSettings,
} from '../../../domain/index.js';
import {
  checkKinds,
  checkNames,
  checkNotVersioned,
  checkPolicySet,
} from '../../../domain/policy-outcomes/policy-set.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** PATCH /policy-sets/:id: unnamed settings keep their value. Existing runs keep their snapshot of the set. */
export class UpdatePolicySet {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policySets' | 'policies' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, id: PolicySetId, change: Partial<PolicySetSettings>): Promise<PolicySet> {
    return this.unitOfWork.run(async (tx) => {
      const policySet = authorized(await tx.policySets.findFor(actor, id), 'policy-sets/manage');
      if (change.policies !== undefined) checkNotVersioned(policySet, { attribute: 'policies' });
      if (change.kind !== undefined && change.kind !== policySet.kind)
        checkNotVersioned(policySet, { attribute: 'kind' });
      const next: PolicySet = {
        ...policySet,
        ...checkPolicySet(change),
        updatedAt: this.clock.now(),
        revision: policySet.revision + 1,
      };
      if (next.policyIds.length > 0 && (change.kind !== undefined || change.policies !== undefined)) {
        const attached = await tx.policies.allOf(next.organizationId, next.policyIds);
        checkKinds(next, attached, { attribute: 'kind' });
        checkNames(next, attached, { attribute: 'policies' });
      }
      await tx.policySets.save(next);
      await tx.audit.add(doneBy(actor, 'policy-sets/manage', id), next);
      return next;
    });
  }
}
