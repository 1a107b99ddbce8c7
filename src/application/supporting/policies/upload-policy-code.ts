import type { Actor, PolicyId } from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { ByteQuota } from '../../files/byte-quota.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** PUT /policies/:id/upload. Existing runs are evaluated with the previous code. */
export class UploadPolicyCode {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policies' | 'keptBytes' | 'audit'>,
    private readonly clock: Clock,
    private readonly quota: ByteQuota,
  ) {}

  /** Throws `organization/over-quota`. */
  execute(actor: Actor, id: PolicyId, code: string): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: policy, done } = changing(actor, await tx.policies.findFor(actor, id), 'policies/manage');
      const next = revised(policy, {
        code: await tx.policies.keepCode(policy.organizationId, code),
        updatedAt: this.clock.now(),
      });
      await tx.policies.save(next);
      await tx.audit.add(done(id), next);
      if (next.code !== policy.code)
        await this.quota.refuseExcess(tx, policy, new TextEncoder().encode(code).byteLength);
    });
  }
}
