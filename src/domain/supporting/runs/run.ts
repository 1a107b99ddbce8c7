import type { Bundle } from '../../shared/bundle.js';
import {
  type AgentPoolId,
  type ConfigurationVersionId,
  type Instant,
  later,
  type RunId,
  type WorkspaceId,
} from '../../shared/id.js';
import { entered, Lifecycle, stampOf } from '../../shared/lifecycle-engine.js';
import { revised } from '../../shared/revision.js';
import type { TokenOwner } from '../../shared/token-owner.js';
import { type RunGuardFacts, runGuards } from './run-guards.js';
import { type RunEffect, type RunTransition, type RunTrigger, runLifecycle } from './run-lifecycle.js';
import {
  completedRunStatuses,
  type RunStatus,
  runStatusesHoldingWorkspace,
  runStatusesUnderLease,
} from './run-status.js';

export interface RunVariable {
  readonly key: string;
  /** A literal of the configuration language. */
  readonly value: string;
}

/** The options requested for the run, passed on to the agent unchanged. */
export interface RunOptions {
  readonly message: string;
  readonly isDestroy: boolean;
  readonly refresh: boolean;
  readonly refreshOnly: boolean;
  readonly allowEmptyApply: boolean;
  readonly allowConfigGeneration: boolean;
  /** Null for all resources. */
  readonly targetAddrs: readonly string[] | null;
  readonly replaceAddrs: readonly string[] | null;
  readonly variables: readonly RunVariable[];
  /** Null for the workspace's version. */
  readonly terraformVersion: string | null;
  /** Whether the program logs its internals. */
  readonly debuggingMode: boolean;
}

/** The default options of a run. */
export const defaultRunOptions: Omit<RunOptions, 'message'> = {
  isDestroy: false,
  refresh: true,
  refreshOnly: false,
  allowEmptyApply: false,
  allowConfigGeneration: false,
  targetAddrs: null,
  replaceAddrs: null,
  variables: [],
  terraformVersion: null,
  debuggingMode: false,
};

/** The number of resources a plan or an apply changes. */
export interface ResourceCounts {
  readonly additions: number;
  readonly changes: number;
  readonly destructions: number;
  readonly imports: number;
}

export interface PlannedChanges extends ResourceCounts {
  /** Whether the plan generated configuration for imported resources; absent if not reported. */
  readonly generatedConfiguration?: boolean;
}

/** An agent's right to execute a run and report on it. Each claim creates a new lease. */
export interface Lease {
  readonly poolId: AgentPoolId;
  /** The agent's name for itself. */
  readonly agent: string;
  /** SHA-256 of the lease token, lower-case hexadecimal. */
  readonly digest: string;
  /** The agent counts as lost from this instant. */
  readonly expiresAt: Instant;
}

/** The two phases an agent executes. Each has its own log. */
export const phases = ['plan', 'apply'] as const;

export type Phase = (typeof phases)[number];

/** The actions on runs, as their transitions are named. */
export const runDecisions = ['confirm', 'discard', 'cancel', 'override', 'force-cancel', 'force-execute'] as const;

/** An action of a person or a team on a run. */
export interface RunDecision {
  readonly action: (typeof runDecisions)[number];
  readonly by: TokenOwner;
  readonly at: Instant;
  /** As it was sent along. */
  readonly comment: string | null;
}

export interface RunState {
  readonly id: RunId;
  readonly workspaceId: WorkspaceId;
  readonly configurationVersionId: ConfigurationVersionId;
  /** Dense within its workspace, from 1: the order in which runs wait. */
  readonly sequence: number;
  readonly status: RunStatus;
  readonly source: 'tfe-api' | 'tfe-configuration-version' | 'tfe-run-trigger';
  /** The number of runs before it that triggered each other and were applied automatically, the last of them its trigger. */
  readonly triggerDepth: number;
  readonly options: RunOptions;
  /** Created from a speculative version: it can never be confirmed. */
  readonly planOnly: boolean;
  readonly savePlan: boolean;
  /** Requested by a caller who may apply; the right is checked again when the plan ends. */
  readonly autoApply: boolean;
  /** Null without a creator: such a run is never applied automatically. */
  readonly createdBy: TokenOwner | null;
  /** False until the plan ends. */
  readonly hasChanges: boolean;
  readonly cancelRequested: boolean;
  /** In the order in which they were made. */
  readonly decisions: readonly RunDecision[];
  readonly planned: PlannedChanges | null;
  readonly applied: ResourceCounts | null;
  /** The reason it is errored, as a sentence. */
  readonly failure: string | null;
  /** Files fetched again for this run only; null if it uses its version's files. */
  readonly ownFiles: Pick<Bundle, 'key' | 'bytes'> | null;
  readonly lease: Lease | null;
  readonly statusTimestamps: Readonly<Record<string, Instant>>;
  readonly createdAt: Instant;
  /** Incremented with every change; a save based on an older revision is refused. */
  readonly revision: number;
}

export const runOperations = [
  'plan_only',
  'save_plan',
  'destroy',
  'refresh_only',
  'empty_apply',
  'plan_and_apply',
] as const;

export type RunOperation = (typeof runOperations)[number];

/** The first that holds. */
export function operationOf({ planOnly, savePlan, options }: RunState): RunOperation {
  if (planOnly) return 'plan_only';
  if (savePlan) return 'save_plan';
  if (options.isDestroy) return 'destroy';
  if (options.refreshOnly) return 'refresh_only';
  return options.allowEmptyApply ? 'empty_apply' : 'plan_and_apply';
}

export type RunFactsGathered = Pick<
  RunGuardFacts,
  | 'workspaceAvailable'
  | 'workspaceHeld'
  | 'filesMissing'
  | 'creatorMayApply'
  | 'cancelOverdue'
  | 'prePlan'
  | 'policyCheck'
  | 'preApply'
  | 'evaluationsOpen'
>;

/** The fields a transition may change in addition to the status. */
export type RunChange = Partial<
  Pick<
    RunState,
    'hasChanges' | 'planned' | 'applied' | 'failure' | 'ownFiles' | 'lease' | 'cancelRequested' | 'decisions'
  >
>;

export interface RunFired {
  readonly next: Run;
  readonly effects: readonly RunEffect[];
}

/** The input for a new run. */
export type RunDraft = Pick<
  RunState,
  | 'id'
  | 'workspaceId'
  | 'configurationVersionId'
  | 'sequence'
  | 'source'
  | 'options'
  | 'planOnly'
  | 'savePlan'
  | 'autoApply'
  | 'createdBy'
  | 'createdAt'
> &
  Partial<Pick<RunState, 'triggerDepth'>>;

/** The statuses in which a run can be discarded. */
export const runStatusesDiscardable: readonly RunStatus[] = runLifecycle.flatMap((row) =>
  row.trigger === 'discard' ? row.from : [],
);
/** The latest decision of these kinds; undefined if none was made. */
export const decisionOf = (
  { decisions }: RunState,
  ...actions: readonly RunDecision['action'][]
): RunDecision | undefined => decisions.findLast((one) => actions.includes(one.action));

/** More than an agent by default gives the program that it interrupts, before it kills it. */
const secondsToStop = 180;

/** Whether the run can be canceled by force, once its agent has had the time to stop. */
export const isForceCancelable = ({ status, cancelRequested }: RunState): boolean =>
  status === 'applying' && cancelRequested;

/** When the agent that was asked to stop has, or had, had the time to; null for a run that was not canceled. */
export function forceCancelAvailableAt(state: RunState): Instant | null {
  const asked = decisionOf(state, 'cancel')?.at;
  if (asked !== undefined) return later(asked, secondsToStop);
  // Earlier releases did not record who asked, and when.
  return isForceCancelable(state) ? later(state.createdAt, secondsToStop) : null;
}

/** When the run last reached a status. */
export const updatedAtOf = ({ statusTimestamps, createdAt }: RunState): Instant =>
  Object.values(statusTimestamps).reduce((a, b) => (a > b ? a : b), createdAt);

const life = new Lifecycle('run', runLifecycle, runGuards);

/** The state before the plan began. */
const withoutReports = (state: RunState): RunState => {
  const reported = ['planning', 'planned', 'post_plan_running'].map(stampOf);
  const statusTimestamps = Object.fromEntries(
    Object.entries(state.statusTimestamps).filter(([stamp]) => !reported.includes(stamp)),
  );
  return { ...state, statusTimestamps, hasChanges: false, planned: null };
};

/** One use of a configuration version. Immutable; the lifecycle table is the only way to change its status. */
export class Run {
  private constructor(readonly state: RunState) {
    Object.freeze(state);
  }

  static create(given: RunDraft): Run {
    return new Run({
      triggerDepth: 0,
      ...given,
      status: 'pending',
      hasChanges: false,
      cancelRequested: false,
      decisions: [],
      planned: null,
      applied: null,
      failure: null,
      ownFiles: null,
      lease: null,
      statusTimestamps: { 'plan-queueable-at': given.createdAt },
      revision: 0,
    });
  }

  /** For repositories only: trusts the stored state. */
  static restore(state: RunState): Run {
    return new Run({ ...state });
  }

  /**
   * Fires `trigger`, and then every applicable automatic row until none is left. Throws the row's refusal, worded by
   * its status or by its first failing guard.
   */
  fire(trigger: RunTrigger, gathered: RunFactsGathered, now: Instant, change: RunChange = {}): RunFired {
    return this.walk(life.fire(trigger, { ...this.state, ...gathered }), gathered, now, change);
  }

  /** Fires the automatic rows that the facts allow; undefined if there is none. */
  settle(gathered: RunFactsGathered, now: Instant): RunFired | undefined {
    const row = life.automatic({ ...this.state, ...gathered });
    return row && this.walk(row, gathered, now, {});
  }

  /** Whether the status alone allows it. */
  allows(trigger: RunTrigger): boolean {
    return life.startsFrom(this.state.status, trigger);
  }

  /** The same run with another lease or other files. The status does not change. */
  with(change: Pick<RunChange, 'lease' | 'ownFiles'>): Run {
    return new Run(revised(this.state, change));
  }

  get over(): boolean {
    return completedRunStatuses.includes(this.state.status);
  }

  /** Whether its log of the phase is complete and closed. Policy evaluation is part of the plan's log. */
  hasFinished(phase: Phase): boolean {
    const { status, statusTimestamps, lease } = this.state;
    const evaluated = status !== 'post_plan_running' || lease === null;
    const planned = statusTimestamps['planned-at'] !== undefined && evaluated;
    return this.over || (phase === 'plan' && planned);
  }

  /** When its log of the phase was completed; undefined while it is open, and while run tasks follow the plan. */
  finishedAt(phase: Phase): Instant | undefined {
    const { status, statusTimestamps: at, createdAt } = this.state;
    if (!this.hasFinished(phase) || status === 'post_plan_running') return undefined;
    const checked = at['post-plan-awaiting-decision-at'] ?? at['post-plan-completed-at'];
    const planned = at['post-plan-running-at'] === undefined ? at['planned-at'] : checked;
    return (phase === 'plan' ? planned : undefined) ?? at[stampOf(status)] ?? createdAt;
  }

  /** Whether other runs of its workspace must wait for it. */
  get holdsWorkspace(): boolean {
    return !this.state.planOnly && runStatusesHoldingWorkspace.includes(this.state.status);
  }

  /** The trigger that cancels it in this status: immediately, or by asking the agent that applies it. */
  get cancelTrigger(): RunTrigger {
    return this.allows('request-cancel') ? 'request-cancel' : 'cancel';
  }

  private walk(first: RunTransition, gathered: RunFactsGathered, now: Instant, change: RunChange): RunFired {
    const effects: RunEffect[] = [];
    let state = revised(this.state, change);
    for (let row: RunTransition | undefined = first; row; row = life.automatic({ ...state, ...gathered })) {
      const kept = row.effects.includes('drop-reports') ? withoutReports(state) : state;
      const lease = row.effects.includes('release-agent') ? null : state.lease;
      state = { ...kept, ...entered(kept, row, now), lease, failure: row.failure ?? kept.failure };
      effects.push(...row.effects);
    }
    const over = completedRunStatuses.includes(state.status);
    const leased = runStatusesUnderLease.includes(state.status);
    const rested = { ...state, lease: leased ? state.lease : null, ownFiles: over ? null : state.ownFiles };
    return { next: new Run(rested), effects };
  }
}
