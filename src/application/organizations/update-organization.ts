import { type Actor, authorized, doneBy, type Organization, organization } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** PATCH /organizations/:name. */
export class UpdateOrganization {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  execute(
    actor: Actor,
    name: string,
    change: { readonly name?: string | undefined; readonly email?: string | undefined },
  ): Promise<Organization> {
    return this.unitOfWork.run(async (tx) => {
      const current = authorized(await tx.organizations.findFor(actor, name), 'organizations/update');
      const next = organization({
        ...current,
        name: change.name ?? current.name,
        email: change.email ?? current.email,
      });
      await tx.organizations.save(next);
      await tx.audit.add(doneBy(actor, 'organizations/update', next.id), { organizationId: next.id });
      return next;
    });
  }
}
