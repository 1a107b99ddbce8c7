import {
  type Actor,
  type AuditDetail,
  identityOf,
  notFound,
  overrideStage,
  type TaskStage,
  type TaskStageId,
  type WithStanding,
} from '../../domain/index.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { lockedRun, type ProgressRepositories, type RunProgress } from '../supporting/runs/run-progress.js';

/** The maximum number of policies that an event names. */
const maxNamed = 100;

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
      const detail = { runs: [{ id: runId }], ...(await this.failuresOf(tx, stage)) };
      await tx.audit.add({ ...done(id, detail), comment }, run.state);
      return { subject: overridden, standing };
    });
  }

  /** The failed policies, each with its set, and the failed tasks, as the audit trail names them. */
  private async failuresOf(tx: Transaction<'taskStages'>, { evaluations, results }: TaskStage): Promise<AuditDetail> {
    const policies: AuditDetail[string][number][] = [];
    for (const { id } of evaluations) {
      const sets = await tx.taskStages.outcomes(id, [], { number: 1, size: maxNamed });
      for (const { policySetName, outcomes } of sets.items) {
        for (const { policyName, status } of outcomes) {
          if (status !== 'passed') policies.push({ name: policyName, status, 'policy-set': policySetName });
        }
      }
    }
    const tasks = results
      .filter(({ status }) => status !== 'passed')
      .map(({ id, taskName, status }) => ({ id, name: taskName, status }));
    return {
      ...(policies.length > 0 && { policies: policies.slice(0, maxNamed) }),
      ...(tasks.length > 0 && { 'task-results': tasks }),
    };
  }
}
