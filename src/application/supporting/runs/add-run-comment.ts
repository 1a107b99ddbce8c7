import {
  type Actor,
  DomainError,
  identityOf,
  notFound,
  type RunEvent,
  type RunId,
  runEventsOf,
} from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { isReferredTo, runCommentLimits } from '../../../domain/supporting/runs/run-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { lockedRun } from './run-progress.js';

/** POST /runs/:id/comments. Throws `attribute/invalid` for one comment too many. */
export class AddRunComment {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'runs' | 'runComments' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute(actor: Actor, runId: RunId, body: string): Promise<RunEvent> {
    return this.unitOfWork.run(async (tx) => {
      const { done } = changing(actor, await tx.runs.findFor(actor, runId), 'runs/comment');
      // Serializes concurrent comments, so that the second one counts the first towards the limit.
      const run = await lockedRun(tx, runId);
      if (run === undefined) throw notFound();
      if ((await tx.runComments.ofRun(runId)).length >= runCommentLimits.ofRun) {
        throw new DomainError('attribute/invalid', `A run can have at most ${runCommentLimits.ofRun} comments`);
      }
      const id = this.ids.next('run-comment');
      const comment = { id, runId, body, createdBy: identityOf(actor), createdAt: this.clock.now() };
      await tx.runComments.add(comment);
      await tx.audit.add(done(id), run.state);
      return runEventsOf(run.state, [comment]).find((event) => isReferredTo(event, { commentId: id })) as RunEvent;
    });
  }
}
