import { type Actor, authorized, type ManagedPolicy } from '../../../domain/index.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { PolicyQuery } from '../../ports/repositories/policy-repository.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /organizations/:name/policies, by name. */
export class ListPolicies {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'policies'>) {}

  execute(
    actor: Actor,
    organizationName: string,
    filter: Omit<PolicyQuery, 'organizationId'>,
    page: PageRequest,
  ): Promise<Page<ManagedPolicy>> {
    return this.unitOfWork.read(async (tx) => {
      const organization = authorized(await tx.organizations.findFor(actor, organizationName), 'policies/manage');
      return tx.policies.page({ ...filter, organizationId: organization.id }, page);
    });
  }
}
