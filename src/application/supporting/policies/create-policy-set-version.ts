import { type Actor, identityOf, type PolicySetId } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { checkCanHaveVersions } from '../../../domain/supporting/policies/policy-set.js';
import { checkUploads, newVersion, uploadSource } from '../../../domain/supporting/policies/policy-set-version.js';
import type { ByteQuota } from '../../files/byte-quota.js';
import type { CapabilityUrls } from '../../ports/outside/capability-urls.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { ShownPolicySetVersion } from './show-policy-set-version.js';

/** POST /policy-sets/:id/versions. */
export class CreatePolicySetVersion {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policySets' | 'policySetVersions' | 'keptBytes' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly urls: CapabilityUrls,
    private readonly quota: ByteQuota,
  ) {}

  /**
   * Throws `attribute/invalid` for a set with policies of its own, `policy-set-version/upload-refused` for one with a
   * repository, and `organization/over-quota`.
   */
  async execute(actor: Actor, policySetId: PolicySetId): Promise<ShownPolicySetVersion> {
    const now = this.clock.now();
    const id = this.ids.next('policy-set-version');
    const version = await this.unitOfWork.run(async (tx) => {
      const { subject: set, done } = changing(
        actor,
        await tx.policySets.findFor(actor, policySetId),
        'policy-sets/manage',
      );
      checkCanHaveVersions(set);
      checkUploads(set);
      await this.quota.refuseMore(tx, set);
      const { organizationId } = set;
      const uploaded = { source: uploadSource, commit: null };
      const draft = { id, organizationId, policySetId, ...uploaded, createdBy: identityOf(actor), createdAt: now };
      const made = newVersion(set, draft);
      await tx.policySetVersions.add(made.version);
      await tx.policySets.save(made.set);
      await tx.audit.add(done(id), set);
      return made.version;
    });
    return { version, uploadUrl: this.urls.issue('policy-upload', id, now) };
  }
}
