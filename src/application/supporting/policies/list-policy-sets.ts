import { type Actor, authorized, type PolicySet } from '../../../domain/index.js';
import type { PolicySetFilter } from '../../ports/repositories/filters.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /organizations/:name/policy-sets, by name. */
export class ListPolicySets {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'policySets'>) {}

  execute(
    actor: Actor,
    organizationName: string,
    page: PageRequest,
    filter: PolicySetFilter = {},
  ): Promise<Page<PolicySet>> {
    return this.unitOfWork.read(async (tx) => {
      const organization = authorized(await tx.organizations.findFor(actor, organizationName), 'policy-sets/manage');
      return tx.policySets.page(organization.id, page, filter);
    });
  }
}
