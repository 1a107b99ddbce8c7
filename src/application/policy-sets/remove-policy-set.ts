import { type Actor, authorized, doneBy, type PolicySetId } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** DELETE /policy-sets/:id. Runs that exist already are held to it still. */
export class RemovePolicySet {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  execute(actor: Actor, id: PolicySetId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const removed = authorized(await tx.policySets.findFor(actor, id), 'policy-sets/manage');
      await tx.policySets.remove(id);
      await tx.audit.add(doneBy(actor, 'policy-sets/manage', id), removed);
    });
  }
}
