import {
  type Actor,
  type ConfigurationVersion,
  type ConfigurationVersionId,
  DomainError,
  identityOf,
  may,
  type RunOptions,
  type Workspace,
  type WorkspaceId,
} from '../../../domain/index.js';
import { type DomainErrorCode, foundInBody, invalidAttribute } from '../../../domain/shared/domain-error.js';
import { checkProgramVersion } from '../../../domain/shared/program-version.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { ByteQuota } from '../../files/byte-quota.js';
import { inWorkspace } from '../../ports/repositories/audit-trail.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { ProgressRepositories, RunProgress } from './run-progress.js';
import { type ShownRun, showingOne } from './show-run.js';

export interface NewRun {
  readonly workspaceId: WorkspaceId;
  /** Undefined for the workspace's current version. */
  readonly configurationVersionId: ConfigurationVersionId | undefined;
  readonly options: RunOptions;
  readonly planOnly: boolean;
  readonly savePlan: boolean;
  /** Undefined for the workspace's setting, if the caller may apply. */
  readonly autoApply: boolean | undefined;
}

/** POST /runs. A version is usable if it is uploaded, or archived and can be fetched again. */
export class CreateRun {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      ProgressRepositories | 'policySets' | 'workspaceTasks' | 'keptBytes' | 'rowLocks' | 'audit'
    >,
    private readonly progress: RunProgress,
    private readonly quota: ByteQuota,
  ) {}

  /**
   * Throws `attribute/invalid` for a version that is not the workspace's, or not usable, and `organization/over-quota`
   * if the organization has reached its quota.
   */
  execute(actor: Actor, command: NewRun): Promise<ShownRun> {
    return this.unitOfWork.run(async (tx) => {
      const createdBy = identityOf(actor);
      // The lock serializes with the caller's removal, which either sees the run or commits first; the caller then has
      // no access.
      const [, seen] = await Promise.all([
        tx.rowLocks.share(createdBy),
        tx.workspaces.findFor(actor, command.workspaceId),
      ]);
      const {
        subject: workspace,
        standing,
        done,
      } = foundInBody('Workspace', { relationship: 'workspace' }, () => changing(actor, seen, 'runs/queue'));
      const mayApply = may(standing, 'runs/apply');
      if (command.autoApply === true && !mayApply) {
        throw invalidAttribute('autoApply', 'Auto apply requires permission to apply runs');
      }
      if (command.options.terraformVersion !== null) checkProgramVersion(command.options.terraformVersion);
      if (command.options.isDestroy && !workspace.allowDestroyPlan) {
        throw invalidAttribute('isDestroy', 'Destroy runs are not allowed in this workspace: see allow-destroy-plan');
      }
      await this.quota.refuseMore(tx, workspace);
      const findVersion = () => usableVersion(tx, workspace, command.configurationVersionId);
      const { run, stageIds } = await this.progress.begin(tx, workspace, findVersion, {
        source: 'tfe-api',
        options: command.options,
        planOnly: command.planOnly,
        savePlan: command.savePlan,
        autoApply: command.autoApply ?? (workspace.autoApply && mayApply),
        createdBy,
      });
      await tx.audit.add(done(run.state.id), inWorkspace(workspace));
      return showingOne(tx, { subject: run, standing }, stageIds);
    });
  }
}

/** One sentence for every invalid id, whether it belongs to another workspace or does not exist. */
export async function usableVersion(
  tx: Transaction<'configurationVersions'>,
  workspace: Workspace,
  asked: ConfigurationVersionId | undefined,
): Promise<ConfigurationVersion> {
  const id = asked ?? workspace.currentConfigurationVersionId;
  if (id === null) throw unusable('the workspace has no usable version');
  const version = await tx.configurationVersions.find(id);
  if (version?.state.workspaceId !== workspace.id) throw unusable('the workspace does not have this version');
  if (!version.usableInRuns) throw unusable(`its status is ${version.state.status}`);
  return version;
}

/** The reason why the service queues no run on its own: the quota is used up, or there is no usable version. */
export async function obstacleToRun(
  tx: Transaction<'configurationVersions' | 'keptBytes'>,
  quota: ByteQuota,
  workspace: Workspace,
): Promise<{ readonly code: DomainErrorCode; readonly reason: string } | undefined> {
  if (await quota.isUsedUp(tx, workspace)) {
    return { code: 'organization/over-quota', reason: 'the organization is over its quota' };
  }
  return usableVersion(tx, workspace, undefined).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof DomainError) return { code: 'run/transition-refused', reason: error.message };
      throw error;
    },
  );
}

const unusable = (because: string): DomainError =>
  new DomainError('attribute/invalid', `Configuration version cannot be used because ${because}`, {
    relationship: 'configurationVersion',
  });
