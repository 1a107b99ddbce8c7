import { type Actor, DomainError, notFound } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** DELETE /organizations/:name: hides it at once with all its resources, whose data is removed in batches. */
export class RemoveOrganization {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'runs' | 'effects' | 'rowLocks' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, name: string): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const {
        subject: { id },
        done,
      } = changing(actor, await tx.organizations.findFor(actor, name), 'organizations/delete');
      // Prevents an apply from starting between the check and the removal. Other runs end with the deletion: they are
      // no longer found, so neither people nor agents can go on with them.
      if (!(await tx.rowLocks.take({ kind: 'organization', id }))) throw notFound();
      if (await tx.runs.anyApplying({ organizationId: id })) {
        throw new DomainError(
          'runs/in-progress',
          'the organization has a run that is being applied: wait for it, or cancel it',
        );
      }
      await tx.organizations.remove(id, this.clock.now());
      // In the site's trail, since the organization's own trail is no longer listed.
      await tx.audit.add(done(id), 'site');
      await tx.effects.enqueue(id, [{ kind: 'remove-rows', target: { kind: 'organization', id } }]);
    });
  }
}
