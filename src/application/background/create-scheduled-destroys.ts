import {
  executionOf,
  later,
  type Project,
  type RunId,
  type TokenOwner,
  type Workspace,
  type WorkspaceId,
} from '../../domain/index.js';
import { revised } from '../../domain/shared/revision.js';
import {
  because,
  doneBySystem,
  type NewAuditEvent,
  refusedToCreator,
  refusedToSystem,
} from '../../domain/supporting/audit/audit-event.js';
import { defaultRunOptions } from '../../domain/supporting/runs/run.js';
import {
  afterItsTime,
  effectiveAutoDestroy,
  hasResources,
  secondsOf,
} from '../../domain/supporting/workspaces/auto-destroy.js';
import { findForCreator, stillMay } from '../authorization/creator-standing.js';
import type { ByteQuota } from '../files/byte-quota.js';
import type { Clock } from '../ports/outside/clock.js';
import { inWorkspace } from '../ports/repositories/audit-trail.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { obstacleToRun, usableVersion } from '../supporting/runs/create-run.js';
import type { ProgressRepositories, RunProgress } from '../supporting/runs/run-progress.js';
import { activityOf } from '../supporting/runs/workspace-activity.js';

const atATime = 50;

type Repositories =
  | ProgressRepositories
  | 'projects'
  | 'policySets'
  | 'workspaceTasks'
  | 'keptBytes'
  | 'rowLocks'
  | 'audit';

/**
 * Creates the destroy runs of workspaces whose scheduled time has come. Each time counts once: it is unset whether the
 * run is created or refused, and the audit event says why it was refused.
 */
export class CreateScheduledDestroys {
  constructor(
    private readonly unitOfWork: UnitOfWork<Repositories>,
    private readonly clock: Clock,
    private readonly progress: RunProgress,
    private readonly quota: ByteQuota,
  ) {}

  /** Returns the created runs. The failure of one workspace is thrown after the others were handled. */
  async execute(): Promise<readonly RunId[]> {
    const now = this.clock.now();
    const created: RunId[] = [];
    const failures: unknown[] = [];
    const destroyAll = async (due: readonly WorkspaceId[]) => {
      for (const id of due) {
        await this.destroy(id).then(
          (run) => run !== undefined && created.push(run),
          (error: unknown) => failures.push(error),
        );
      }
    };
    const { due, projects } = await this.unitOfWork.read(async (tx) => ({
      due: await tx.workspaces.dueForDestruction(now, atATime),
      projects: await tx.projects.withDestructionDue(now, atATime),
    }));
    await destroyAll(due);
    for (const project of projects) {
      const seconds = secondsOf(project.autoDestroy?.activityDuration ?? '');
      await destroyAll(
        await this.unitOfWork.read((tx) => tx.workspaces.dueInProject(project.id, later(now, -seconds), atATime)),
      );
      await this.postponeCheck(project, seconds);
    }
    if (failures.length > 0) throw failures[0];
    return created;
  }

  /** No workspace is due before the duration has passed since the first activity: new states only postpone. */
  private async postponeCheck(project: Project, seconds: number): Promise<void> {
    const now = this.clock.now();
    await this.unitOfWork.run(async (tx) => {
      const first = (await tx.workspaces.firstInheriting(project.id)) ?? now;
      await tx.projects.postponeDestructionCheck(project, later(first < now ? first : now, seconds));
    });
  }

  private destroy(id: WorkspaceId): Promise<RunId | undefined> {
    return this.unitOfWork.run(async (tx) => {
      await tx.workspaces.lockRow(id);
      const workspace = await tx.workspaces.find(id);
      // Meanwhile an admin may have changed the time, or another process may have created the run.
      const { at, by } = (workspace && effectiveAutoDestroy(workspace, true)) ?? { at: null, by: null };
      if (workspace === undefined || by === null || at === null || at > this.clock.now()) return undefined;
      await tx.workspaces.save(revised(workspace, afterItsTime(workspace)));
      const isEmpty = !hasResources(await activityOf(tx, id));
      // An empty workspace that inherits shows no time, so that none was missed.
      if (isEmpty && workspace.autoDestroy === null) return undefined;
      const refused = await this.refusalOf(tx, workspace, by, isEmpty);
      if (refused !== undefined) {
        await tx.audit.add(refused, inWorkspace(workspace));
        return undefined;
      }
      const findVersion = () => usableVersion(tx, workspace, undefined);
      const { run } = await this.progress.begin(tx, workspace, findVersion, {
        source: 'tfe-api',
        options: { ...defaultRunOptions, isDestroy: true, message: 'Scheduled destruction of the workspace' },
        planOnly: false,
        savePlan: false,
        autoApply: true,
        createdBy: by,
      });
      const waits = workspace.lock === null ? [] : ['the run waits until the workspace is unlocked'];
      await tx.audit.add(
        because(doneBySystem('runs/queue', run.state.id), 'scheduled destruction', ...waits),
        inWorkspace(workspace),
      );
      return run.state.id;
    });
  }

  /** The event of a time that leads to no run. */
  private async refusalOf(
    tx: Transaction<Repositories>,
    workspace: Workspace,
    by: TokenOwner,
    isEmpty: boolean,
  ): Promise<NewAuditEvent | undefined> {
    const { id } = workspace;
    const refused = (reason: string) => because(refusedToSystem('runs/queue', id, 'run/transition-refused'), reason);
    if (isEmpty) return refused('the workspace has no resources to destroy');
    if (!workspace.allowDestroyPlan)
      return refused('destroy runs are not allowed in the workspace: see allow-destroy-plan');
    if (executionOf(workspace).mode === 'local') return refused('the execution mode of the workspace is local');
    const seen = await findForCreator(by, (actor) => tx.workspaces.findIdFor(actor, id));
    if (!stillMay(seen, 'workspaces/schedule-destroy')) {
      return because(
        refusedToCreator(by, 'workspaces/schedule-destroy', id),
        'the user or team that scheduled the destruction is no longer an admin of the workspace',
      );
    }
    const obstacle = await obstacleToRun(tx, this.quota, workspace);
    return obstacle && because(refusedToSystem('runs/queue', id, obstacle.code), obstacle.reason);
  }
}
