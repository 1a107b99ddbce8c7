import { type Actor, authorized, type PolicySetId, type PolicySetParameterId } from '../../../domain/index.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type PolicySetParameterView, parameterView } from './policy-set-parameter-values.js';

/** GET /policy-sets/:id/parameters/:parameterId. */
export class ShowPolicySetParameter {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policySetParameters'>,
    private readonly box: SecretBox,
  ) {}

  async execute(actor: Actor, policySetId: PolicySetId, id: PolicySetParameterId): Promise<PolicySetParameterView> {
    const seen = await this.unitOfWork.read((tx) => tx.policySetParameters.findFor(actor, policySetId, id));
    return parameterView(this.box, authorized(seen, 'policy-sets/manage'));
  }
}
