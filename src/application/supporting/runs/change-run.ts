import { type Actor, authorized, notFound, type Run, type RunId, type RunTrigger } from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type ProgressRepositories, type RunProgress, runInTurn } from './run-progress.js';

export type RunAction = 'apply' | 'discard' | 'cancel';

/** The trigger of each user action on a run. */
const runActions: Readonly<Record<RunAction, (run: Run) => RunTrigger>> = {
  apply: () => 'confirm',
  discard: () => 'discard',
  cancel: (run) => run.cancelTrigger,
};

/** POST /runs/:id/actions/…: apply, discard, cancel. Throws `run/transition-refused` if the run's status forbids it. */
export class ChangeRun {
  constructor(
    private readonly unitOfWork: UnitOfWork<ProgressRepositories | 'audit'>,
    private readonly progress: RunProgress,
  ) {}

  execute(actor: Actor, id: RunId, action: RunAction): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      authorized(await tx.runs.findFor(actor, id), 'runs/apply');
      const run = await runInTurn(tx, id);
      if (run === undefined) throw notFound();
      const trigger = runActions[action](run);
      await this.progress.fire(tx, run, trigger, trigger === 'request-cancel' ? { cancelRequested: true } : {});
      await tx.audit.add(doneBy(actor, 'runs/apply', id), run.state);
    });
  }
}
