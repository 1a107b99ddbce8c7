import { type Actor, authorized, type PolicyId } from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** DELETE /policies/:id: also removes it from its sets. It still applies to existing runs. */
export class RemovePolicy {
  constructor(private readonly unitOfWork: UnitOfWork<'policies' | 'audit'>) {}

  execute(actor: Actor, id: PolicyId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const removed = authorized(await tx.policies.findFor(actor, id), 'policies/manage');
      await tx.policies.remove(id);
      await tx.audit.add(doneBy(actor, 'policies/manage', id), removed);
    });
  }
}
