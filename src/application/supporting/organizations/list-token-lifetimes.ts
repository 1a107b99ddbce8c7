import { type Actor, authorized, type Organization } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /organizations/:name/token-ttl-policies: the organization, which has a longest lifetime for each kind of token. */
export class ListTokenLifetimes {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations'>) {}

  async execute(actor: Actor, name: string): Promise<Organization> {
    return authorized(
      await this.unitOfWork.read((tx) => tx.organizations.findFor(actor, name)),
      'token-ttl-policies/read',
    );
  }
}
