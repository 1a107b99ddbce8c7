import type { Actor, PolicyId } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** DELETE /policies/:id: also removes it from its sets. It still applies to existing runs. */
export class RemovePolicy {
  constructor(private readonly unitOfWork: UnitOfWork<'policies' | 'audit'>) {}

  execute(actor: Actor, id: PolicyId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: removed, done } = changing(actor, await tx.policies.findFor(actor, id), 'policies/manage');
      await tx.policies.remove(id);
      await tx.audit.add(done(id), removed);
    });
  }
}
