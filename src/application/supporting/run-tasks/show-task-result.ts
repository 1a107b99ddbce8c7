import { type Actor, authorized, type LocatedResult, type TaskResultId } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /task-results/:id. */
export class ShowTaskResult {
  constructor(private readonly unitOfWork: UnitOfWork<'taskResults'>) {}

  async execute(actor: Actor, id: TaskResultId): Promise<LocatedResult> {
    return authorized(await this.unitOfWork.read((tx) => tx.taskResults.findFor(actor, id)), 'policy-outcomes/read');
  }
}
