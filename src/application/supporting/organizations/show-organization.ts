import { type Actor, type Organization, seenBy, type WithStanding } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /organizations/:name and its entitlement set. */
export class ShowOrganization {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations'>) {}

  async execute(actor: Actor, name: string): Promise<WithStanding<Organization>> {
    return seenBy(await this.unitOfWork.read((tx) => tx.organizations.findFor(actor, name)), 'organizations/read');
  }
}
