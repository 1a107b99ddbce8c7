import { type Actor, authorized, type ManagedPolicy, type PolicyId } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /policies/:id. */
export class ShowPolicy {
  constructor(private readonly unitOfWork: UnitOfWork<'policies'>) {}

  async execute(actor: Actor, id: PolicyId): Promise<ManagedPolicy> {
    return authorized(await this.unitOfWork.read((tx) => tx.policies.findFor(actor, id)), 'policies/manage');
  }
}
