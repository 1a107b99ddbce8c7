import { type Actor, authorized, type PolicySet, type PolicySetId } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /policy-sets/:id. */
export class ShowPolicySet {
  constructor(private readonly unitOfWork: UnitOfWork<'policySets'>) {}

  async execute(actor: Actor, id: PolicySetId): Promise<PolicySet> {
    return authorized(await this.unitOfWork.read((tx) => tx.policySets.findFor(actor, id)), 'policy-sets/manage');
  }
}
