import {
  type ApplyingPolicySet,
  type ApplyingTask,
  type ConfigurationVersion,
  DomainError,
  type Instant,
  moveAll,
  type NotificationConfigurationId,
  type NotifiedEvent,
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
  type TaskStageId,
  type TaskStageName,
  taskStageNames,
  triggerReached,
  type VersionFactsGathered,
  type Workspace,
} from '../../../domain/index.js';
import { canReset, hasOpenEvaluations } from '../../../domain/policy-outcomes/task-stage.js';
import { asApplied } from '../../../domain/supporting/policies/policy-set.js';
import { forceCancelAvailableAt } from '../../../domain/supporting/runs/run.js';
import { findWorkspaceForCreator, stillMay } from '../../authorization/creator-standing.js';
import { discard } from '../../files/discard.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** The repositories a run needs to progress. */
export type ProgressRepositories =
  | 'configurationVersions'
  | 'effects'
  | 'notificationConfigurations'
  | 'runArtifacts'
  | 'runLogs'
  | 'runTriggers'
  | 'runs'
  | 'stateVersions'
  | 'taskStages'
  | 'workspaces';

/** A transaction in which runs progress. */
export type RunTransaction = Transaction<ProgressRepositories>;

/** A run before it is added to its workspace. */
export type DraftRun = Omit<RunDraft, 'id' | 'sequence' | 'createdAt' | 'workspaceId' | 'configurationVersionId'>;

/** A run that was created, with its task stages in their order. */
export interface CreatedRun {
  readonly run: Run;
  readonly stageIds: readonly TaskStageId[];
}

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

  /**
   * Creates a run with its task stages; the run is queued if no other run is ahead of it. The version is looked up once
   * the workspace's row is locked; a speculative one is only planned.
   */
  async begin(
    tx: RunTransaction & Transaction<'policySets' | 'workspaceTasks' | 'rowLocks'>,
    workspace: Workspace,
    findVersion: () => Promise<ConfigurationVersion>,
    draft: DraftRun,
  ): Promise<CreatedRun> {
    const now = this.clock.now();
    const id = this.ids.next('run');
    const workspaceId = workspace.id;
    // In one round trip, which begins with the locks.
    const [held, { sequence, hasTasks }, version, sets, around, notified] = await Promise.all([
      // Serializes with the organization's removal, which either sees the run or commits first.
      tx.rowLocks.share({ kind: 'organization', id: workspace.organizationId }),
      tx.runs.takeSequence(workspaceId),
      findVersion(),
      tx.policySets.applyingTo(workspaceId),
      surroundingsOf(tx, { ...draft, id, workspaceId }, !draft.planOnly),
      tx.notificationConfigurations.notifiedOf(workspaceId, 'run:created'),
    ]);
    if (!held) throw notFound();
    const run = Run.create({
      ...draft,
      planOnly: draft.planOnly || version.state.speculative,
      options: { ...draft.options, terraformVersion: draft.options.terraformVersion ?? workspace.terraformVersion },
      configurationVersionId: version.state.id,
      workspaceId,
      id,
      sequence,
      createdAt: now,
    });
    const tasks = hasTasks ? await tx.workspaceTasks.applyingTo(workspaceId) : [];
    const stages = this.stagesOf(run, sets, tasks);
    const context = this.contextOf(run, version, stages, around);
    const { next, effects } = run.settle(context.facts, now) ?? { next: run, effects: [] };
    await tx.runs.add(next);
    for (const stage of stages) await tx.taskStages.add(stage);
    await notify(tx, notified, { runId: id, trigger: 'run:created', status: run.state.status, at: now });
    await this.perform(tx, effects, run, context);
    return { run: next, stageIds: stages.map((stage) => stage.id) };
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
    const context = await this.contextNow(tx, run);
    return this.keep(tx, run, run.fire(trigger, context.facts, now, change), context, now);
  }

  /** Fires the automatic rows that the facts allow. */
  async settle(tx: RunTransaction, run: Run): Promise<Run> {
    const context = await this.contextNow(tx, run);
    const now = this.clock.now();
    const fired = run.settle(context.facts, now);
    return fired === undefined ? run : this.keep(tx, run, fired, context, now);
  }

  /** Starts the longest waiting run, unless something blocks it. */
  async advance(tx: RunTransaction, workspaceId: RunState['workspaceId']): Promise<void> {
    const next = await tx.runs.nextWaiting(workspaceId);
    if (next !== undefined) await this.settle(tx, next);
  }

  private async contextNow(tx: RunTransaction, run: Run): Promise<RunContext> {
    const [version, stages, around] = await Promise.all([
      tx.configurationVersions.find(run.state.configurationVersionId),
      tx.taskStages.ofRun(run.state.id),
      surroundingsOf(tx, run.state, contends(run)),
    ]);
    if (version === undefined) throw gone(run.state.id);
    return this.contextOf(run, version, stages, around);
  }

  private contextOf(
    run: Run,
    version: ConfigurationVersion,
    stages: readonly TaskStage[],
    around: Surroundings,
  ): RunContext {
    const { state } = run;
    const check = (name: TaskStageName): StageCheck => {
      const stage = stages.find((one) => one.stage === name);
      return stage === undefined ? 'none' : checkOf[stage.status];
    };
    return {
      version,
      stages,
      facts: {
        ...wayOf(run, around),
        filesMissing: version.state.status === 'archived' && state.ownFiles === null,
        creatorMayApply: stillMay(around.seen, 'runs/apply'),
        cancelOverdue: (forceCancelAvailableAt(state) ?? unreached) <= this.clock.now(),
        prePlan: check('pre_plan'),
        policyCheck: check('post_plan'),
        preApply: check('pre_apply'),
        evaluationsOpen: stages.some(hasOpenEvaluations),
      },
    };
  }

  private async keep(
    tx: RunTransaction,
    run: Run,
    { next, effects }: RunFired,
    context: RunContext,
    now: Instant,
  ): Promise<Run> {
    const { id: runId, workspaceId, status } = next.state;
    const trigger = triggerReached(run.state.status, status);
    // In one round trip.
    const [notified] = await Promise.all([
      trigger === undefined ? [] : tx.notificationConfigurations.notifiedOf(workspaceId, trigger),
      tx.runs.save(next),
    ]);
    if (trigger !== undefined) await notify(tx, notified, { runId, trigger, status, at: now });
    await this.perform(tx, effects, run, context);
    return next;
  }

  private async perform(
    tx: RunTransaction,
    effects: readonly RunEffect[],
    { state }: Run,
    { version, stages }: RunContext,
  ): Promise<void> {
    const named = (name: TaskStageName) => stages.filter(({ stage }) => stage === name);
    const subject = version.state.id;
    const ways: { readonly [Name in RunEffect]: () => Promise<void> | void } = {
      'fetch-files': () => tx.effects.enqueue(subject, [{ kind: 'fetch-run-files', runId: state.id }]),
      'start-pre-plan': () => this.start(tx, named('pre_plan')),
      'start-policy-check': () => this.start(tx, named('post_plan')),
      'start-pre-apply': () => this.start(tx, named('pre_apply')),
      'start-post-apply': () => this.start(tx, named('post_apply')),
      'follow-run-triggers': async () => {
        if (!(await tx.runTriggers.hasTargets(state.workspaceId))) return;
        await tx.effects.enqueue(state.id, [{ kind: 'follow-run-triggers', runId: state.id, after: '' }]);
      },
      'close-task-stages': () => this.moveStages(tx, stages, 'close'),
      'reset-policy-check': async () => {
        const reported = named('post_plan').filter(canReset);
        for (const stage of reported) await tx.taskStages.dropOutcomes(stage);
        await this.moveStages(tx, reported, 'reset');
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

/** Each receiver is notified in the order of the events. */
async function notify(
  tx: Transaction<'effects'>,
  notified: readonly NotificationConfigurationId[],
  event: NotifiedEvent,
): Promise<void> {
  for (const configurationId of notified) {
    await tx.effects.enqueue(configurationId, [{ kind: 'send-notification', configurationId, event }]);
  }
}

interface RunContext {
  readonly facts: RunFactsGathered;
  readonly version: ConfigurationVersion;
  readonly stages: readonly TaskStage[];
}

/** The rows that the facts of a run depend on, besides its version and its stages. */
interface Surroundings {
  readonly workspace: Workspace;
  /** The workspace as the run's creator sees it; undefined unless the run is applied on their behalf. */
  readonly seen: Awaited<ReturnType<typeof findWorkspaceForCreator>>;
  /** Whether another run has the workspace. */
  readonly isHeld: boolean;
  readonly nextWaiting: Run | undefined;
}

/** Whether it must let others pass: it needs the workspace and does not have it. */
const contends = (run: Run): boolean => !run.state.planOnly && !run.holdsWorkspace;

/** Everything is read in one round trip, and other runs only for one that contends. */
async function surroundingsOf(
  tx: Transaction<'workspaces' | 'runs'>,
  run: Pick<RunState, 'id' | 'workspaceId' | 'autoApply' | 'createdBy'>,
  isContending: boolean,
): Promise<Surroundings> {
  const { id, workspaceId } = run;
  const [workspace, seen, isHeld, nextWaiting] = await Promise.all([
    tx.workspaces.find(workspaceId),
    run.autoApply ? findWorkspaceForCreator(tx, run) : undefined,
    isContending && tx.runs.anotherHolds(workspaceId, id),
    isContending ? tx.runs.nextWaiting(workspaceId) : undefined,
  ]);
  if (workspace === undefined) throw gone(id);
  return { workspace, seen, isHeld, nextWaiting };
}

/** The organization was deleted after the run was read: the next attempt does not find the run either. */
const gone = (id: RunId): DomainError =>
  new DomainError('shared/stale-revision', `a resource that ${id} depends on was deleted`);

function wayOf(
  run: Run,
  { workspace: { lock }, isHeld, nextWaiting }: Surroundings,
): Pick<RunFactsGathered, 'workspaceAvailable' | 'workspaceHeld'> {
  if (!contends(run)) return { workspaceAvailable: true, workspaceHeld: false };
  if (lock !== null) return { workspaceAvailable: false, workspaceHeld: false };
  const mustWait = nextWaiting !== undefined && nextWaiting.state.sequence < run.state.sequence;
  return { workspaceAvailable: !isHeld && !mustWait, workspaceHeld: isHeld };
}

/** The run, read after locking its workspace's row; undefined if it does not exist. */
export async function lockedRun(tx: Transaction<'workspaces' | 'runs'>, id: RunId): Promise<Run | undefined> {
  const found = await tx.runs.find(id);
  if (found === undefined) return undefined;
  await tx.workspaces.lockRow(found.state.workspaceId);
  return tx.runs.find(id);
}
