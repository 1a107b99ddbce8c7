import {
  type Actor,
  authorized,
  identityOf,
  notFound,
  type Run,
  type RunDecision,
  type RunId,
  type RunTrigger,
} from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { lockedRun, type ProgressRepositories, type RunProgress } from './run-progress.js';

export type RunAction = 'apply' | 'discard' | 'cancel';

/** The trigger of each user action on a run, and how it is recorded there. */
const runActions: Readonly<Record<RunAction, (run: Run) => readonly [RunTrigger, RunDecision['action']]>> = {
  apply: () => ['confirm', 'confirm'],
  discard: () => ['discard', 'discard'],
  cancel: (run) => [run.cancelTrigger, 'cancel'],
};

/** POST /runs/:id/actions/…: apply, discard, cancel. Throws `run/transition-refused` if the run's status forbids it. */
export class ChangeRun {
  constructor(
    private readonly unitOfWork: UnitOfWork<ProgressRepositories | 'audit'>,
    private readonly clock: Clock,
    private readonly progress: RunProgress,
  ) {}

  execute(actor: Actor, id: RunId, action: RunAction, comment: string | null = null): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      authorized(await tx.runs.findFor(actor, id), 'runs/apply');
      const run = await lockedRun(tx, id);
      if (run === undefined) throw notFound();
      const [trigger, decision] = runActions[action](run);
      const made = { action: decision, by: identityOf(actor), at: this.clock.now(), comment };
      await this.progress.fire(tx, run, trigger, {
        decisions: [...run.state.decisions, made],
        ...(trigger === 'request-cancel' && { cancelRequested: true }),
      });
      await tx.audit.add(doneBy(actor, 'runs/apply', id), run.state);
    });
  }
}
