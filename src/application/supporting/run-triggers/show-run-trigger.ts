import type { Actor, RunTriggerId, WorkspaceRunTrigger } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { visibleRunTrigger } from './find-run-trigger.js';

/** GET /run-triggers/:id. */
export class ShowRunTrigger {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces' | 'runTriggers'>) {}

  async execute(actor: Actor, id: RunTriggerId): Promise<WorkspaceRunTrigger> {
    return (await this.unitOfWork.read((tx) => visibleRunTrigger(tx, actor, id))).subject;
  }
}
