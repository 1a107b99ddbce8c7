import type { Actor, RunTriggerId } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { visibleRunTrigger } from './find-run-trigger.js';

/** DELETE /run-triggers/:id. Runs that it has queued stay. */
export class RemoveRunTrigger {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces' | 'runTriggers' | 'audit'>) {}

  execute(actor: Actor, id: RunTriggerId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await visibleRunTrigger(tx, actor, id);
      const { subject: removed, done } = changing(actor, seen, 'run-triggers/manage');
      await tx.runTriggers.remove(id);
      await tx.audit.add(done(id, { sources: [{ id: removed.sourceId }] }), removed);
    });
  }
}
