import {
  type Actor,
  identityOf,
  notFound,
  overrideStage,
  type TaskStage,
  type TaskStageId,
  type WithStanding,
} from '../../domain/index.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { Clock } from '../ports/outside/clock.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { lockedRun, type ProgressRepositories, type RunProgress } from '../supporting/runs/run-progress.js';

/** POST /task-stages/:id/actions/override: lets a run continue in spite of failed policies or run tasks. */
export class OverrideTaskStage {
  constructor(
    private readonly unitOfWork: UnitOfWork<ProgressRepositories | 'audit'>,
    private readonly clock: Clock,
    private readonly progress: RunProgress,
  ) {}

  /** Throws `task-stage/transition-refused` unless a failure is waiting for an override. */
  execute(actor: Actor, id: TaskStageId, comment: string | null = null): Promise<WithStanding<TaskStage>> {
    return this.unitOfWork.run(async (tx) => {
      const { subject, standing, done } = changing(
        actor,
        await tx.taskStages.findFor(actor, id),
        'policy-outcomes/override',
      );
      const { runId } = subject;
      const run = await lockedRun(tx, runId);
      const stage = (await tx.taskStages.ofRun(runId)).find((one) => one.id === id);
      if (run === undefined || stage === undefined) throw notFound();
      const now = this.clock.now();
      const overridden = overrideStage(stage, now);
      await tx.taskStages.save(overridden);
      const made = { action: 'override', by: identityOf(actor), at: now, comment } as const;
      await this.progress.fire(tx, run, 'override-policies', { decisions: [...run.state.decisions, made] }, now);
      await tx.audit.add(done(id), run.state);
      return { subject: overridden, standing };
    });
  }
}
