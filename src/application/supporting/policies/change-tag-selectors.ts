import type { Actor, PolicySetId, TagSelector } from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { checkTagSelectors, isAmong } from '../../../domain/supporting/policies/policy-set.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** POST and DELETE /policy-sets/:id/tag-selectors. Existing runs keep the sets that applied when they were created. */
export class ChangeTagSelectors {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policySets' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, id: PolicySetId, change: 'add' | 'remove', selectors: readonly TagSelector[]): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: policySet, done } = changing(
        actor,
        await tx.policySets.findFor(actor, id),
        'policy-sets/manage',
      );
      const present = policySet.tagSelectors;
      const next = revised(policySet, {
        tagSelectors:
          change === 'remove'
            ? present.filter((one) => !isAmong(selectors, one))
            : checkTagSelectors([...present, ...selectors], { member: 'data' }),
        updatedAt: this.clock.now(),
      });
      await tx.policySets.save(next);
      await tx.audit.add(done(id), next);
    });
  }
}
