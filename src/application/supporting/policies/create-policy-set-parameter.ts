import type { Actor, PolicySetId } from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { newParameter } from '../../../domain/supporting/policies/policy-set-parameter.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import {
  type PolicySetParameterDraft,
  type PolicySetParameterView,
  parameterView,
} from './policy-set-parameter-values.js';

/** POST /policy-sets/:id/parameters. */
export class CreatePolicySetParameter {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policySets' | 'policySetParameters' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly box: SecretBox,
  ) {}

  execute(
    actor: Actor,
    policySetId: PolicySetId,
    { value, ...settings }: PolicySetParameterDraft,
  ): Promise<PolicySetParameterView> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: set, done } = changing(
        actor,
        await tx.policySets.findFor(actor, policySetId),
        'policy-sets/manage',
      );
      const others = await tx.policySetParameters.ofSets([policySetId]);
      const now = this.clock.now();
      const parameter = newParameter(
        {
          ...settings,
          id: this.ids.next('policy-set-parameter'),
          policySetId,
          sealedValue: this.box.seal(value),
          createdAt: now,
          revision: 0,
        },
        others.length,
      );
      // Serializes concurrent creations, so that the second one counts the first.
      await tx.policySets.save(revised(set, { updatedAt: now }));
      await tx.policySetParameters.add(parameter);
      await tx.audit.add(done(parameter.id), set);
      return parameterView(this.box, parameter);
    });
  }
}
