import {
  DomainError,
  type Phase,
  type PlannedChanges,
  type ResourceCounts,
  type RunChange,
  type RunStatus,
  type RunTrigger,
} from '../../../domain/index.js';
import { doneByAgent } from '../../../domain/supporting/audit/audit-event.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { ProgressRepositories, RunProgress } from '../runs/run-progress.js';
import { type LeaseHolder, lockedLeasedRun } from './lease-holder.js';

/** The result of a phase. */
export type PhaseReport =
  | {
      readonly outcome: 'finished';
      readonly hasChanges: boolean;
      /** For a plan only. */
      readonly generatedConfiguration?: boolean;
      readonly resources: ResourceCounts | null;
    }
  | { readonly outcome: 'errored'; readonly message: string }
  | { readonly outcome: 'canceled' };

const running: Readonly<Record<Phase, readonly RunStatus[]>> = {
  // A plan may still fail while its policies are evaluated.
  plan: ['planning', 'post_plan_running'],
  apply: ['applying'],
};

/** POST /agent/v1/runs/:id/plan and …/apply: reports the result of the phase. */
export class ReportPhase {
  constructor(
    private readonly unitOfWork: UnitOfWork<ProgressRepositories | 'audit'>,
    private readonly secrets: SecretGenerator,
    private readonly progress: RunProgress,
  ) {}

  /**
   * Returns the run's new status. Throws `lease/lost`, `run/transition-refused` in another phase, and
   * `agent-report/invalid` for a finished apply whose announced state was not uploaded.
   */
  execute(holder: LeaseHolder, phase: Phase, report: PhaseReport): Promise<RunStatus> {
    return this.unitOfWork.run(async (tx) => {
      const run = await lockedLeasedRun(tx, this.secrets, holder);
      if (!running[phase].includes(run.state.status)) {
        throw new DomainError('run/transition-refused', `${phase} could not be reported because it is not running`);
      }
      const finished = phase === 'apply' && report.outcome === 'finished';
      if (finished && (await tx.stateVersions.pending(run.state.id)) !== undefined) {
        throw new DomainError('agent-report/invalid', 'The announced state version has not been uploaded');
      }
      const next = await this.progress.fire(tx, run, ...firing(phase, report));
      await tx.audit.add(doneByAgent(holder.agent, 'runs/report', next.state.id), next.state);
      return next.state.status;
    });
  }
}

const plannedBy = ({
  resources,
  generatedConfiguration,
}: PhaseReport & { outcome: 'finished' }): PlannedChanges | null =>
  resources && { ...resources, ...(generatedConfiguration && { generatedConfiguration }) };

function firing(phase: Phase, report: PhaseReport): [RunTrigger, RunChange?] {
  switch (report.outcome) {
    case 'finished':
      return phase === 'plan'
        ? ['finish-plan', { hasChanges: report.hasChanges, planned: plannedBy(report) }]
        : ['finish-apply', { applied: report.resources }];
    case 'errored':
      return ['fail', { failure: report.message }];
    case 'canceled':
      return ['finish-cancel'];
  }
}
