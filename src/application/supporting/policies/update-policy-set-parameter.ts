import { type Actor, authorized, type PolicySetId, type PolicySetParameterId } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { changedParameter } from '../../../domain/supporting/policies/policy-set-parameter.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import {
  type PolicySetParameterDraft,
  type PolicySetParameterView,
  parameterView,
} from './policy-set-parameter-values.js';

/**
 * PATCH /policy-sets/:id/parameters/:parameterId: unnamed settings keep their value. Claimed runs keep the values they
 * received.
 */
export class UpdatePolicySetParameter {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policySets' | 'policySetParameters' | 'audit'>,
    private readonly box: SecretBox,
  ) {}

  execute(
    actor: Actor,
    policySetId: PolicySetId,
    id: PolicySetParameterId,
    { value, ...settings }: Partial<PolicySetParameterDraft>,
  ): Promise<PolicySetParameterView> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: set, done } = changing(
        actor,
        await tx.policySets.findFor(actor, policySetId),
        'policy-sets/manage',
      );
      const current = authorized(await tx.policySetParameters.findFor(actor, policySetId, id), 'policy-sets/manage');
      const next = changedParameter(current, {
        ...settings,
        ...(value !== undefined && { sealedValue: this.box.seal(value) }),
      });
      await tx.policySetParameters.save(next);
      await tx.audit.add(done(id), set);
      return parameterView(this.box, next);
    });
  }
}
