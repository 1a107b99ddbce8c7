import type { Actor, ManagedPolicy, PolicyChange, PolicyId } from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { checkFixedSettings, checkPolicy } from '../../../domain/supporting/policies/policy.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/**
 * PATCH /policies/:id: unnamed settings keep their value. Existing runs keep their snapshot of the policy. Throws
 * `attribute/invalid` for another name or kind.
 */
export class UpdatePolicy {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policies' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, id: PolicyId, change: PolicyChange): Promise<ManagedPolicy> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: policy, done } = changing(actor, await tx.policies.findFor(actor, id), 'policies/manage');
      checkFixedSettings(policy, change);
      const next = revised(policy, { ...checkPolicy({ ...policy, ...change }), updatedAt: this.clock.now() });
      await tx.policies.save(next);
      await tx.audit.add(done(id), next);
      return next;
    });
  }
}
