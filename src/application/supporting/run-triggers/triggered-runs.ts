import {
  depthAfter,
  executionOf,
  type RunId,
  type RunState,
  type RunTriggerId,
  runTriggerLimits,
  type Workspace,
  type WorkspaceRunTrigger,
} from '../../../domain/index.js';
import type { DomainErrorCode } from '../../../domain/shared/domain-error.js';
import {
  because,
  doneBySystem,
  type NewAuditEvent,
  refusedToSystem,
} from '../../../domain/supporting/audit/audit-event.js';
import { defaultRunOptions } from '../../../domain/supporting/runs/run.js';
import { findForCreator, stillMay } from '../../authorization/creator-standing.js';
import type { ByteQuota } from '../../files/byte-quota.js';
import { inWorkspace } from '../../ports/repositories/audit-trail.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';
import { obstacleToRun, usableVersion } from '../runs/create-run.js';
import type { ProgressRepositories, RunProgress } from '../runs/run-progress.js';

type Needs = ProgressRepositories | 'policySets' | 'workspaceTasks' | 'keptBytes' | 'rowLocks' | 'audit';

/** The triggers that one transaction follows. */
const atOnce = 20;

/**
 * Queues the runs that an applied run triggers, each in a transaction of its own. A run that cannot be queued is audited
 * and delays no other.
 */
export class TriggeredRuns {
  constructor(
    private readonly progress: RunProgress,
    private readonly quota: ByteQuota,
  ) {}

  /** Orders a run for each trigger of the run's workspace after the id `after`. */
  async follow(tx: Transaction<Needs>, runId: RunId, after: RunTriggerId): Promise<void> {
    const run = await tx.runs.find(runId);
    if (run === undefined) return;
    const ids = await tx.runTriggers.after(run.state.workspaceId, after, atOnce);
    for (const triggerId of ids) {
      await tx.effects.enqueue(triggerId, [{ kind: 'queue-triggered-run', triggerId, runId }]);
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < atOnce) return;
    await tx.effects.enqueue(runId, [{ kind: 'follow-run-triggers', runId, after: last }]);
  }

  /** Does nothing once the trigger is gone. A run whose creator may no longer queue runs has none, and waits to be confirmed. */
  async queue(tx: Transaction<Needs>, triggerId: RunTriggerId, sourceRunId: RunId): Promise<void> {
    const trigger = await tx.runTriggers.find(triggerId);
    const source = await tx.runs.find(sourceRunId);
    if (trigger === undefined || source === undefined) return;
    await tx.workspaces.lockRow(trigger.workspaceId);
    const workspace = await tx.workspaces.find(trigger.workspaceId);
    if (workspace === undefined) return;
    const refused = await this.refusalOf(tx, workspace, source.state);
    if (refused !== undefined) {
      await tx.audit.add(refused, inWorkspace(workspace));
      return;
    }
    const { run, reasons } = await this.begin(tx, workspace, trigger, source.state);
    const queued = { ...doneBySystem('runs/queue', run.state.id), detail: { triggeredBy: [{ id: sourceRunId }] } };
    await tx.audit.add(reasons.length === 0 ? queued : because(queued, ...reasons), inWorkspace(workspace));
  }

  private async begin(
    tx: Transaction<Needs>,
    workspace: Workspace,
    { createdBy }: WorkspaceRunTrigger,
    source: RunState,
  ) {
    const seen = await findForCreator(createdBy, (actor) => tx.workspaces.findIdFor(actor, workspace.id));
    const mayApply = stillMay(seen, 'runs/apply');
    const { run } = await this.progress.begin(tx, workspace, () => usableVersion(tx, workspace, undefined), {
      source: 'tfe-run-trigger',
      triggerDepth: depthAfter(source),
      options: { ...defaultRunOptions, message: `Triggered by run ${source.id}` },
      planOnly: false,
      savePlan: false,
      autoApply: workspace.autoApplyRunTrigger && mayApply,
      createdBy: stillMay(seen, 'runs/queue') ? createdBy : null,
    });
    const reasons = [
      ...(workspace.lock === null ? [] : ['the run waits until the workspace is unlocked']),
      ...(workspace.autoApplyRunTrigger && !mayApply
        ? ['the run is not applied automatically, because the creator of its run trigger may no longer apply runs']
        : []),
    ];
    return { run, reasons };
  }

  private async refusalOf(
    tx: Transaction<Needs>,
    workspace: Workspace,
    source: RunState,
  ): Promise<NewAuditEvent | undefined> {
    const refused = (reason: string, code: DomainErrorCode = 'run/transition-refused') =>
      because(refusedToSystem('runs/queue', workspace.id, code), `${source.id} triggered no run: ${reason}`);
    const { chain } = runTriggerLimits;
    if (depthAfter(source) > chain) {
      return refused(`it is the last of ${chain} runs that triggered each other and that no person confirmed`);
    }
    if (executionOf(workspace).mode === 'local') return refused('the execution mode of the workspace is local');
    const obstacle = await obstacleToRun(tx, this.quota, workspace);
    return obstacle && refused(obstacle.reason, obstacle.code);
  }
}
