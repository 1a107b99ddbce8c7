import {
  type Action,
  type Actor,
  identityOf,
  type LockAction,
  lockActions,
  type WorkspaceId,
} from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { Clock } from '../../ports/outside/clock.js';
import { inWorkspace } from '../../ports/repositories/audit-trail.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { ProgressRepositories, RunProgress } from '../runs/run-progress.js';
import { activityOf } from '../runs/workspace-activity.js';
import { type ShownWorkspace, showingWorkspace } from './show-workspace.js';

const needs = {
  lock: 'workspaces/lock',
  unlock: 'workspaces/lock',
  'force-unlock': 'workspaces/force-unlock',
} as const satisfies Record<LockAction, Action>;

/**
 * POST /workspaces/:id/actions/lock, …/unlock (the caller's own lock) and …/force-unlock (any lock). Runs wait while it
 * is locked.
 */
export class ChangeWorkspaceLock {
  constructor(
    private readonly unitOfWork: UnitOfWork<ProgressRepositories | 'audit'>,
    private readonly clock: Clock,
    private readonly progress: RunProgress,
  ) {}

  execute(
    actor: Actor,
    id: WorkspaceId,
    command: { readonly action: LockAction; readonly reason: string | null },
  ): Promise<ShownWorkspace> {
    return this.unitOfWork.run(async (tx) => {
      // With the workspace's row locked: a concurrently started run is seen, or sees the lock.
      await tx.workspaces.lockRow(id);
      const seen = await tx.workspaces.findFor(actor, id);
      const { subject, standing, done } = changing(actor, seen, needs[command.action]);
      const { workingRunId } = await activityOf(tx, id);
      const by = identityOf(actor);
      const change = { by, now: this.clock.now(), reason: command.reason, workingRunId };
      const next = lockActions[command.action](subject, change);
      await tx.workspaces.save(next);
      await tx.audit.add(done(id), inWorkspace(subject));
      if (next.lock === null) await this.progress.advance(tx, id);
      return showingWorkspace(tx, { subject: next, standing });
    });
  }
}
