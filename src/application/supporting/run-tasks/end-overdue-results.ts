import { moveResult, type TaskResult, type TaskResultId, taskWaits } from '../../../domain/index.js';
import { doneBySystem } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { removedMessage } from './call-run-task.js';
import type { ResultRepositories, TaskResultProgress } from './task-result-progress.js';

const atATime = 50;

const notCalled = `the run task was not called within ${taskWaits.attempt / 60} minutes, because calls of other run tasks took all of that time`;

const timedOut = `the run task did not report in time: at least every ${taskWaits.progress / 60} minutes, and a final result within ${taskWaits.total / 60} minutes`;

const overdue = ({ calledAt }: TaskResult): string => (calledAt === null ? notCalled : timedOut);

/** Ends the waiting for run tasks that were not called or did not report in time, or were removed. */
export class EndOverdueResults {
  constructor(
    private readonly unitOfWork: UnitOfWork<ResultRepositories | 'workspaceTasks' | 'audit'>,
    private readonly clock: Clock,
    private readonly results: TaskResultProgress,
  ) {}

  /** Returns the results that were ended. The failure of one is thrown after the others were handled. */
  async execute(): Promise<readonly TaskResultId[]> {
    const overdue = await this.unitOfWork.read((tx) => tx.taskResults.overdue(this.clock.now(), atATime));
    const ended: TaskResultId[] = [];
    const failures: unknown[] = [];
    for (const { id } of overdue) {
      await this.end(id).then(
        (done) => done && ended.push(id),
        (error: unknown) => failures.push(error),
      );
    }
    if (failures.length > 0) throw failures[0];
    return ended;
  }

  private end(id: TaskResultId): Promise<boolean> {
    return this.unitOfWork.run(async (tx) => {
      const held = await this.results.find(tx, id);
      const now = this.clock.now();
      // Meanwhile the task may have reported.
      if (held === undefined || held.result.deadline === null || held.result.deadline > now) return false;
      const message = (await tx.workspaceTasks.has(held.result.workspaceTaskId))
        ? overdue(held.result)
        : removedMessage;
      await this.results.keep(tx, held, moveResult(held.result, 'time-out', now, message));
      await tx.audit.add(doneBySystem('task-results/time-out', id), held.run.state);
      return true;
    });
  }
}
