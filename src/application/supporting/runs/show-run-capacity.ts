import { type Actor, authorizedView } from '../../../domain/index.js';
import type { RunCapacity } from '../../ports/repositories/run-repository.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /organizations/:name/capacity: counts all runs of the organization, regardless of the caller's access. */
export class ShowRunCapacity {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'runs'>) {}

  execute(actor: Actor, organizationName: string): Promise<RunCapacity> {
    return this.unitOfWork.read(async (tx) => {
      const seen = await tx.organizations.findFor(actor, organizationName);
      return tx.runs.capacityOf(authorizedView(seen, 'organizations/read').subject.id);
    });
  }
}
