import type { Actor, PolicySetId, PolicySetScope } from '../../../domain/index.js';
import { attached } from '../../../domain/shared/attached.js';
import { revised } from '../../../domain/shared/revision.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { attachable } from './policy-set-scope.js';

const where = { member: 'data' } as const;

/** POST and DELETE of /policy-sets/:id/relationships/workspaces, projects, and the exclusions of both. */
export class AttachPolicySet {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'projects' | 'policySets' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(
    actor: Actor,
    id: PolicySetId,
    change: 'attach' | 'detach',
    ids: readonly string[],
    list: keyof PolicySetScope = 'workspaceIds',
  ): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: policySet, done } = changing(
        actor,
        await tx.policySets.findFor(actor, id),
        'policy-sets/manage',
      );
      const kept = policySet[list].filter((one) => !ids.includes(one));
      const next = revised(policySet, {
        [list]:
          change === 'detach'
            ? kept
            : attached([...kept, ...(await attachable(tx, policySet.organizationId, list, ids, where))], where),
        updatedAt: this.clock.now(),
      });
      await tx.policySets.save(next);
      await tx.audit.add(done(id), next);
    });
  }
}
