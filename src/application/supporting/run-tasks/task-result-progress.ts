import {
  isUnderWay,
  type Run,
  type TaskResult,
  type TaskResultId,
  type TaskStage,
  withResult,
} from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';
import { lockedRun, type ProgressRepositories, type RunProgress } from '../runs/run-progress.js';

/** The repositories that the result of a run task needs to change. */
export type ResultRepositories = ProgressRepositories | 'taskResults';

/** A result that can change, in a transaction that has locked its workspace's row. */
export interface ResultInHand {
  readonly run: Run;
  readonly stage: TaskStage;
  readonly result: TaskResult;
}

/** Changes results of run tasks, and lets their runs go on. */
export class TaskResultProgress {
  constructor(
    private readonly clock: Clock,
    private readonly progress: RunProgress,
  ) {}

  /** Undefined if there is no such result, or its stage has not begun or has ended. */
  async find(tx: Transaction<ResultRepositories>, id: TaskResultId): Promise<ResultInHand | undefined> {
    const located = await tx.taskResults.find(id);
    const run = located && (await lockedRun(tx, located.runId));
    if (run === undefined) return undefined;
    const stages = await tx.taskStages.ofRun(run.state.id);
    return stages
      .filter((stage) => stage.status !== 'pending' && isUnderWay(stage))
      .flatMap((stage) => stage.results.map((result) => ({ run, stage, result })))
      .find(({ result }) => result.id === id);
  }

  /** Saves the next result. The stage may end with it, and the run go on. */
  async keep(tx: Transaction<ResultRepositories>, { run, stage }: ResultInHand, next: TaskResult): Promise<void> {
    await tx.taskStages.save(withResult(stage, next, this.clock.now()));
    await this.progress.settle(tx, run);
  }
}
