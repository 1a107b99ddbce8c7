import type { Actor, ManagedPolicy, PolicySettings } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { checkPolicy } from '../../../domain/supporting/policies/policy.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** POST /organizations/:name/policies. Its code is uploaded separately. */
export class CreatePolicy {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'policies' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute(actor: Actor, organizationName: string, settings: PolicySettings): Promise<ManagedPolicy> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: organization, done } = changing(
        actor,
        await tx.organizations.findFor(actor, organizationName),
        'policies/manage',
      );
      const now = this.clock.now();
      const policy: ManagedPolicy = {
        ...checkPolicy(settings),
        id: this.ids.next('policy'),
        organizationId: organization.id,
        organizationName: organization.name,
        code: null,
        policySetIds: [],
        createdAt: now,
        updatedAt: now,
        revision: 0,
      };
      await tx.policies.add(policy);
      await tx.audit.add(done(policy.id), policy);
      return policy;
    });
  }
}
