import {
  concludeEvaluation,
  DomainError,
  type PolicyEvaluationId,
  type PolicySetOutcome,
  type ReportedPolicySet,
  type RunStatus,
  readReport,
} from '../../../domain/index.js';
import { doneByAgent } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { ProgressRepositories, RunProgress } from '../runs/run-progress.js';
import { type LeaseHolder, lockedLeasedRun } from './lease-holder.js';

export interface PolicyReport {
  readonly policyToolVersion: string;
  readonly policySets: readonly ReportedPolicySet[];
}

/** POST /agent/v1/runs/:id/policy-evaluations/:id: reports all results of the policies of one kind. */
export class ReportPolicyEvaluation {
  constructor(
    private readonly unitOfWork: UnitOfWork<ProgressRepositories | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly secrets: SecretGenerator,
    private readonly progress: RunProgress,
  ) {}

  /**
   * Returns the run's new status. Throws `lease/lost`, `agent-report/invalid` for a report that does not match the
   * sets, and `task-stage/transition-refused` for an evaluation that is not running. A refused report is not stored.
   */
  execute(holder: LeaseHolder, id: PolicyEvaluationId, report: PolicyReport): Promise<RunStatus> {
    return this.unitOfWork.run(async (tx) => {
      const run = await lockedLeasedRun(tx, this.secrets, holder);
      const stages = await tx.taskStages.ofRun(run.state.id);
      const found = stages
        .flatMap((stage) => stage.evaluations.map((evaluation) => ({ stage, evaluation })))
        .find(({ evaluation }) => evaluation.id === id);
      if (found === undefined) throw new DomainError('resource/not-found', 'the run has no such policy evaluation');
      const { stage, evaluation } = found;
      const { policyToolVersion } = report;
      const outcomes = readReport(evaluation.policySets, report.policySets).map(
        (draft): PolicySetOutcome => ({
          ...draft,
          id: this.ids.next('policy-set-outcome'),
          policyEvaluationId: id,
          policyToolVersion,
        }),
      );
      const concluded = concludeEvaluation(stage, id, policyToolVersion, outcomes, this.clock.now());
      await tx.taskStages.save(concluded);
      await tx.taskStages.addOutcomes(outcomes);
      await tx.audit.add(doneByAgent(holder.agent, 'policy-outcomes/report', id), run.state);
      return (await this.progress.settle(tx, run)).state.status;
    });
  }
}
