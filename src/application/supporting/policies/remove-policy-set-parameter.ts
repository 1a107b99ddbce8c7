import {
  type Actor,
  authorized,
  notFound,
  type PolicySetId,
  type PolicySetParameterId,
} from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** DELETE /policy-sets/:id/parameters/:parameterId. */
export class RemovePolicySetParameter {
  constructor(private readonly unitOfWork: UnitOfWork<'policySets' | 'policySetParameters' | 'audit'>) {}

  execute(actor: Actor, policySetId: PolicySetId, id: PolicySetParameterId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: set, done } = changing(
        actor,
        await tx.policySets.findFor(actor, policySetId),
        'policy-sets/manage',
      );
      authorized(await tx.policySetParameters.findFor(actor, policySetId, id), 'policy-sets/manage');
      if (!(await tx.policySetParameters.remove(id))) throw notFound();
      await tx.audit.add(done(id), set);
    });
  }
}
