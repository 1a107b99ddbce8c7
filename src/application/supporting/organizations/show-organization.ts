import { authorizedViewOfOwner } from '../../../domain/authorization/policy.js';
import { type Actor, authorizedView, type Organization, type WithStanding } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /organizations/:name and its entitlement set. */
export class ShowOrganization {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations'>) {}

  /** Also for an owner whose token or session the organization refuses. */
  async execute(actor: Actor, name: string): Promise<WithStanding<Organization>> {
    return authorizedViewOfOwner(await this.find(actor, name), 'organizations/read');
  }

  async entitled(actor: Actor, name: string): Promise<Organization> {
    return authorizedView(await this.find(actor, name), 'organizations/read').subject;
  }

  private find(actor: Actor, name: string): Promise<WithStanding<Organization> | undefined> {
    return this.unitOfWork.read((tx) => tx.organizations.findFor(actor, name));
  }
}
