import { type Actor, authorized, type PolicySetId } from '../../../domain/index.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type PolicySetParameterView, parameterView } from './policy-set-parameter-values.js';

/** GET /policy-sets/:id/parameters: all of them, by key. */
export class ListPolicySetParameters {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policySets' | 'policySetParameters'>,
    private readonly box: SecretBox,
  ) {}

  async execute(actor: Actor, id: PolicySetId): Promise<readonly PolicySetParameterView[]> {
    const parameters = await this.unitOfWork.read(async (tx) => {
      authorized(await tx.policySets.findFor(actor, id), 'policy-sets/manage');
      return tx.policySetParameters.ofSets([id]);
    });
    return parameters.map((parameter) => parameterView(this.box, parameter));
  }
}
