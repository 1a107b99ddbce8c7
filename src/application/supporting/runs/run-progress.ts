import {
  type ApplyingPolicySet,
  type ApplyingTask,
  type BundleKey,
  type ConfigurationVersion,
  DomainError,
  type Instant,
  moveAll,
  notFound,
  openTaskStage,
  policyKinds,
  Run,
  type RunChange,
  type RunDraft,
  type RunEffect,
  type RunFactsGathered,
  type RunFired,
  type RunId,
  type RunState,
  type RunTrigger,
  type StageCheck,
  type TaskStage,
  type TaskStageName,
  taskStageNames,
  type VersionFactsGathered,
  type Workspace,
} from '../../../domain/index.js';
import { asApplied } from '../../../domain/policy-outcomes/policy-set.js';
import { hasOpenEvaluations } from '../../../domain/policy-outcomes/task-stage.js';
import { forceCancelAvailableAt } from '../../../domain/supporting/runs/run.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';
import { seenByCreator, stillMay } from '../users/seen-by-creator.js';

/** The repositories a run needs to progress. */
export type ProgressRepositories =
  | 'configurationVersions'
  | 'effects'
  | 'runArtifacts'
  | 'runLogs'
  | 'runs'
  | 'stateVersions'
  | 'taskStages'
  | 'workspaces';

/** A transaction in which runs progress. */
export type RunTransaction = Transaction<ProgressRepositories>;

/** A run before it is added to its workspace. */
export type DraftRun = Omit<RunDraft, 'id' | 'sequence' | 'createdAt' | 'workspaceId' | 'configurationVersionId'>;

/** Later than any instant. */
const unreached: Instant = '~';

const checkOf: Readonly<Record<TaskStage['status'], StageCheck>> = {
  pending: 'waiting',
  running: 'open',
  passed: 'passed',
  awaiting_override: 'overridable',
  failed: 'failed',
  errored: 'failed',
  canceled: 'open',
};

/** The archive effect checks for runs that use a version, so the order is given without these facts. */
const unused: VersionFactsGathered = { isCurrent: false, runsInProgress: false, usedByRun: false };

/**
 * Moves runs through their lifecycle and applies the effects of transitions. All methods run in the caller's
 * transaction, which must have locked the workspace's row before it read the run.
 */
export class RunProgress {
  constructor(
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** Creates a run with its task stages; the run is queued if no other run is ahead of it. */
  async begin(
    tx: RunTransaction & Transaction<'policySets' | 'workspaceTasks' | 'rowLocks'>,
    workspace: Workspace,
    version: ConfigurationVersion,
    draft: DraftRun,
  ): Promise<Run> {
    const now = this.clock.now();
    const [held, { sequence, hasTasks }, sets] = await Promise.all([
      // Serializes with the organization's removal, which either sees the run or commits first.
      tx.rowLocks.share({ kind: 'organization', id: workspace.organizationId }),
      tx.runs.takeSequence(workspace.id),
      tx.policySets.applyingTo(workspace.id),
    ]);
    if (!held) throw notFound();
    const id = this.ids.next('run');
    const terraformVersion = draft.options.terraformVersion ?? workspace.terraformVersion;
    const options = { ...draft.options, terraformVersion };
    const of = { configurationVersionId: version.state.id, workspaceId: workspace.id };
    const run = Run.create({ ...draft, ...of, options, id, sequence, createdAt: now });
    const tasks = hasTasks ? await tx.workspaceTasks.applyingTo(workspace.id) : [];
    const stages = this.stagesOf(run, sets, tasks);
    const context = await this.contextOf(tx, run, { version, stages });
    const { next, effects } = run.settle(context.facts, now) ?? { next: run, effects: [] };
    await tx.runs.add(next);
    for (const stage of stages) await tx.taskStages.add(stage);
    await this.perform(tx, effects, run, context);
    return next;
  }

  /** The stages to which policies or run tasks apply, as both are now. */
  private stagesOf(
    { state: { id: runId, planOnly: speculative, createdAt } }: Run,
    sets: readonly ApplyingPolicySet[],
    tasks: readonly ApplyingTask[],
  ): readonly TaskStage[] {
    const kinds = policyKinds.filter((kind) => sets.some((set) => set.kind === kind));
    return taskStageNames.flatMap((stage) => {
      const called = tasks.filter(({ stages }) => stages.includes(stage));
      const evaluated = stage === 'post_plan' ? kinds : [];
      if (called.length === 0 && evaluated.length === 0) return [];
      const evaluations = evaluated.map((kind) => ({
        id: this.ids.next('policy-evaluation'),
        kind,
        policySets: sets.filter((set) => set.kind === kind).map(asApplied),
      }));
      const results = called.map(({ id, task, enforcementLevel }) => ({
        id: this.ids.next('task-result'),
        taskId: task.id,
        taskName: task.name,
        taskUrl: task.url,
        workspaceTaskId: id,
        enforcementLevel,
        speculative,
      }));
      return [openTaskStage({ id: this.ids.next('task-stage'), runId, stage, createdAt }, evaluations, results)];
    });
  }

  /**
   * Throws `run/transition-refused` if the lifecycle table does not allow it. A decision in the change has the instant `now`:
   * that is how its event is found.
   */
  async fire(
    tx: RunTransaction,
    run: Run,
    trigger: RunTrigger,
    change?: RunChange,
    now: Instant = this.clock.now(),
  ): Promise<Run> {
    const context = await this.contextOf(tx, run);
    return this.keep(tx, run, run.fire(trigger, context.facts, now, change), context);
  }

  /** Fires the automatic rows that the facts allow. */
  async settle(tx: RunTransaction, run: Run): Promise<Run> {
    const context = await this.contextOf(tx, run);
    const fired = run.settle(context.facts, this.clock.now());
    return fired === undefined ? run : this.keep(tx, run, fired, context);
  }

  /** Starts the longest waiting run, unless something blocks it. */
  async advance(tx: RunTransaction, workspaceId: RunState['workspaceId']): Promise<void> {
    const next = await tx.runs.nextWaiting(workspaceId);
    if (next !== undefined) await this.settle(tx, next);
  }

  /** Everything is read in one round trip, but for what the caller knows. */
  private async contextOf(
    tx: RunTransaction,
    run: Run,
    known?: Pick<RunContext, 'version' | 'stages'>,
  ): Promise<RunContext> {
    const { state } = run;
    const [workspace, version, stages, seen, ahead] = await Promise.all([
      tx.workspaces.find(state.workspaceId),
      known?.version ?? tx.configurationVersions.find(state.configurationVersionId),
      known?.stages ?? tx.taskStages.ofRun(state.id),
      state.autoApply ? workspaceSeenByCreator(tx, state) : undefined,
      aheadOf(tx, run),
    ]);
    if (workspace === undefined || version === undefined) {
      // The organization was deleted after the run was read: the next attempt does not find the run either.
      throw new DomainError('shared/stale-revision', `a resource that ${state.id} depends on was deleted`);
    }
    const check = (name: TaskStageName): StageCheck => {
      const stage = stages.find((one) => one.stage === name);
      return stage === undefined ? 'none' : checkOf[stage.status];
    };
    return {
      version,
      stages,
      facts: {
        ...wayOf(workspace, ahead),
        filesMissing: version.state.status === 'archived' && state.ownFiles === null,
        creatorMayApply: stillMay(seen, 'runs/apply'),
        cancelOverdue: (forceCancelAvailableAt(state) ?? unreached) <= this.clock.now(),
        prePlan: check('pre_plan'),
        policyCheck: check('post_plan'),
        preApply: check('pre_apply'),
        evaluationsOpen: stages.some(hasOpenEvaluations),
      },
    };
  }

  private async keep(tx: RunTransaction, run: Run, { next, effects }: RunFired, context: RunContext): Promise<Run> {
    await tx.runs.save(next);
    await this.perform(tx, effects, run, context);
    return next;
  }

  private async perform(
    tx: RunTransaction,
    effects: readonly RunEffect[],
    { state }: Run,
    context: RunContext,
  ): Promise<void> {
    const { version, stages } = context;
    const named = (name: TaskStageName) => stages.filter(({ stage }) => stage === name);
    const subject = version.state.id;
    const ways: { readonly [Name in RunEffect]: () => Promise<void> | void } = {
      'fetch-files': () => tx.effects.enqueue(subject, [{ kind: 'fetch-run-files', runId: state.id }]),
      'start-pre-plan': () => this.start(tx, named('pre_plan')),
      'start-policy-check': () => this.start(tx, named('post_plan')),
      'start-pre-apply': () => this.start(tx, named('pre_apply')),
      'start-post-apply': () => this.start(tx, named('post_apply')),
      'close-task-stages': () => this.moveStages(tx, stages, 'close'),
      'reset-policy-check': async () => {
        for (const stage of named('post_plan')) await tx.taskStages.dropOutcomes(stage);
        await this.moveStages(tx, named('post_plan'), 'reset');
      },
      // The run itself gives up its lease.
      'release-agent': () => {},
      'drop-reports': async () => {
        await tx.runLogs.drop(state.id, 'plan');
        await discard(tx, await tx.runArtifacts.drop(state.id));
      },
      'promote-version': async () => {
        if (version.state.provisional) await tx.workspaces.promote(state.workspaceId, subject);
      },
      'release-workspace': () => this.advance(tx, state.workspaceId),
      'discard-files': async () => {
        const { ownFiles } = state;
        if (ownFiles !== null) await tx.effects.enqueue(subject, [{ kind: 'discard-bundle', bundleKey: ownFiles.key }]);
      },
      'discard-plan-file': async () => discard(tx, await tx.runArtifacts.drop(state.id, 'plan-file')),
      'drop-pending-state': () => tx.stateVersions.dropPending(state.id),
      'archive-version': async () => {
        if (!version.allows('finish-runs', unused, this.clock.now())) return;
        await tx.effects.enqueue(subject, [{ kind: 'archive-version', versionId: subject }]);
      },
    };
    for (const effect of effects) await ways[effect]();
  }

  private async moveStages(
    tx: Transaction<'taskStages'>,
    stages: readonly TaskStage[],
    trigger: 'start' | 'close' | 'reset',
  ): Promise<void> {
    for (const stage of stages) await tx.taskStages.save(moveAll(stage, trigger, this.clock.now()));
  }

  /** Starts stages and orders the calls of their run tasks. */
  private async start(tx: Transaction<'taskStages' | 'effects'>, stages: readonly TaskStage[]): Promise<void> {
    await this.moveStages(tx, stages, 'start');
    for (const { id: resultId } of stages.flatMap(({ results }) => results)) {
      await tx.effects.enqueue(resultId, [{ kind: 'call-run-task', resultId }]);
    }
  }
}

interface RunContext {
  readonly facts: RunFactsGathered;
  readonly version: ConfigurationVersion;
  readonly stages: readonly TaskStage[];
}

interface Ahead {
  readonly holds: boolean;
  readonly waits: boolean;
}

/** The runs that this one must let pass; undefined if it needs no workspace or has it. */
async function aheadOf(tx: Transaction<'runs'>, run: Run): Promise<Ahead | undefined> {
  const { id, workspaceId, sequence, planOnly } = run.state;
  if (planOnly || run.holdsWorkspace) return undefined;
  const [holds, next] = await Promise.all([tx.runs.anotherHolds(workspaceId, id), tx.runs.nextWaiting(workspaceId)]);
  return { holds, waits: next !== undefined && next.state.sequence < sequence };
}

function wayOf(
  { lock }: Workspace,
  ahead: Ahead | undefined,
): Pick<RunFactsGathered, 'workspaceAvailable' | 'workspaceHeld'> {
  if (ahead === undefined) return { workspaceAvailable: true, workspaceHeld: false };
  if (lock !== null) return { workspaceAvailable: false, workspaceHeld: false };
  return { workspaceAvailable: !ahead.holds && !ahead.waits, workspaceHeld: ahead.holds };
}

/** Orders the removal of bundles that no row refers to any more. */
export async function discard(tx: Transaction<'effects'>, keys: readonly BundleKey[]): Promise<void> {
  for (const bundleKey of keys) await tx.effects.enqueue(bundleKey, [{ kind: 'discard-bundle', bundleKey }]);
}

/** The run, read after locking its workspace's row; undefined if it does not exist. */
export async function lockedRun(tx: Transaction<'workspaces' | 'runs'>, id: RunId): Promise<Run | undefined> {
  const found = await tx.runs.find(id);
  if (found === undefined) return undefined;
  await tx.workspaces.lockRow(found.state.workspaceId);
  return tx.runs.find(id);
}

/** The workspace of a version or a run, with the standing of its creator. */
export const workspaceSeenByCreator = (
  tx: Transaction<'workspaces'>,
  { createdBy, workspaceId }: Pick<RunState, 'createdBy' | 'workspaceId'>,
) => seenByCreator(createdBy, (actor) => tx.workspaces.findIdFor(actor, workspaceId));
