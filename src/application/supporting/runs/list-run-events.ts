import { type Actor, authorized, type RunEvent, type RunId, runEventsOf } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /runs/:id/run-events. */
export class ListRunEvents {
  constructor(private readonly unitOfWork: UnitOfWork<'runs'>) {}

  async execute(actor: Actor, id: RunId): Promise<readonly RunEvent[]> {
    const run = authorized(await this.unitOfWork.read((tx) => tx.runs.findFor(actor, id)), 'runs/read');
    return runEventsOf(run.state);
  }
}
