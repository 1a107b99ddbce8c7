import { type Actor, authorized, type PolicySetVersion, type PolicySetVersionId } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /policy-set-versions/:id. */
export class ShowPolicySetVersion {
  constructor(private readonly unitOfWork: UnitOfWork<'policySetVersions'>) {}

  async execute(actor: Actor, id: PolicySetVersionId): Promise<PolicySetVersion> {
    const seen = await this.unitOfWork.read((tx) => tx.policySetVersions.findFor(actor, id));
    return authorized(seen, 'policy-sets/manage');
  }
}
