import {
  checkLinks,
  DomainError,
  type LocatedResult,
  notFound,
  type RequestTrace,
  reportedResult,
  type TaskReport,
  type TaskResultId,
  type TaskResultOutcome,
} from '../../../domain/index.js';
import { noToken } from '../../../domain/shared/domain-error.js';
import { doneByRunTask } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { ResultRepositories, TaskResultProgress } from './task-result-progress.js';

/** A run task with the callback token of one result. */
export interface TaskCaller {
  readonly resultId: TaskResultId;
  readonly secret: string | undefined;
}

/**
 * The result that the token belongs to. Throws `actor/unauthenticated` for a token that is unknown or has ended, and
 * `resource/not-found` for the result of another token.
 */
export async function resultOfToken(
  tx: Transaction<'taskResults'>,
  secrets: SecretGenerator,
  { resultId, secret }: TaskCaller,
): Promise<LocatedResult> {
  if (secret === undefined) throw noToken();
  const result = await tx.taskResults.byToken(secrets.digestOf(secret));
  if (result === undefined) {
    throw new DomainError('actor/unauthenticated', 'the callback token is unknown, or has ended with its stage');
  }
  if (result.id !== resultId) throw notFound();
  return result;
}

/** Checks the callback token before a report is read. */
export class CheckTaskResultToken {
  constructor(
    private readonly unitOfWork: UnitOfWork<'taskResults'>,
    private readonly secrets: SecretGenerator,
  ) {}

  execute(caller: TaskCaller): Promise<LocatedResult> {
    return this.unitOfWork.read((tx) => resultOfToken(tx, this.secrets, caller));
  }
}

/** PATCH /task-results/:id, by the run task itself. */
export class ReportTaskResult {
  constructor(
    private readonly unitOfWork: UnitOfWork<ResultRepositories | 'audit'>,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
    private readonly results: TaskResultProgress,
  ) {}

  /**
   * Outcomes replace earlier ones; undefined keeps them. Throws as `resultOfToken` does, `attribute/invalid`, and
   * `task-stage/transition-refused` for a result that is final.
   */
  execute(
    caller: TaskCaller,
    report: TaskReport,
    outcomes: readonly TaskResultOutcome[] | undefined,
    request?: RequestTrace,
  ): Promise<LocatedResult> {
    return this.unitOfWork.run(async (tx) => {
      const located = await resultOfToken(tx, this.secrets, caller);
      const held = await this.results.find(tx, located.id);
      // While the workspace was locked, the stage may have ended, and the token with it.
      if (held === undefined || held.result.tokenDigest !== located.tokenDigest) throw notFound();
      checkLinks(report, outcomes ?? []);
      const next = reportedResult(held.result, report, this.clock.now());
      if (outcomes !== undefined) await tx.taskResults.keepOutcomes(next.id, outcomes);
      await this.results.keep(tx, held, next);
      await tx.audit.add(doneByRunTask(next.taskId, 'task-results/report', next.id, request), held.run.state);
      return { ...located, ...next };
    });
  }
}
