import { type Actor, authorized, DomainError, notFound } from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** DELETE /organizations/:name: hidden at once with all that hangs on it, taken away in batches. */
export class RemoveOrganization {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'runs' | 'effects' | 'holds' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, name: string): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { id } = authorized(await tx.organizations.findFor(actor, name), 'organizations/delete');
      // So that no run begins between the question and the removal.
      if (!(await tx.holds.take({ kind: 'organization', id }))) throw notFound();
      if (await tx.runs.anyInProgress({ organizationId: id })) {
        throw new DomainError('runs/in-progress', 'the organization has a run in progress');
      }
      await tx.organizations.remove(id, this.clock.now());
      // Nobody will see its own trail any more, but for who knows that it is there.
      await tx.audit.add(doneBy(actor, 'organizations/delete', id), 'site');
      await tx.effects.enqueue(id, [{ kind: 'remove-rows', target: { kind: 'organization', id } }]);
    });
  }
}
