import type { LifecycleGuard, LifecycleRow } from '../../shared/lifecycle-engine.js';
import type { RunStatus } from './run-status.js';

/** The state of the policies that apply to a run. `overridable`: failed, and waiting for an override. */
export type PolicyCheck = 'none' | 'open' | 'passed' | 'overridable' | 'failed';

/** The facts a guard may check: the run itself and facts the use case gathered through ports. */
export interface RunGuardFacts {
  readonly status: RunStatus;
  readonly planOnly: boolean;
  readonly savePlan: boolean;
  readonly autoApply: boolean;
  readonly hasChanges: boolean;
  readonly cancelRequested: boolean;
  readonly options: { readonly allowEmptyApply: boolean };
  /** No other run holds the workspace or waits longer, and the workspace is not locked; plan-only runs never wait. */
  readonly workspaceAvailable: boolean;
  /** Whether another run holds the workspace. */
  readonly workspaceHeld: boolean;
  /** Whether the version's files are discarded and must be fetched again for this run. */
  readonly filesMissing: boolean;
  /** Whether its creator currently holds `runs: apply`. */
  readonly creatorMayApply: boolean;
  /** Whether the agent that was asked to stop has had the time to. */
  readonly cancelOverdue: boolean;
  readonly policyCheck: PolicyCheck;
}

export const runGuards = {
  'workspace available': { holds: (run) => run.workspaceAvailable, because: 'its workspace is not available' },
  'workspace held': { holds: (run) => run.workspaceHeld, because: 'no other run holds its workspace' },
  'files available': { holds: (run) => !run.filesMissing, because: 'its files must be fetched first' },
  'files missing': { holds: (run) => run.filesMissing, because: 'its files are available' },
  'policies apply': { holds: (run) => run.policyCheck !== 'none', because: 'no policies apply to it' },
  'policies passed': { holds: (run) => run.policyCheck === 'passed', because: 'its policies have not passed' },
  'policies failed, overridable': {
    holds: (run) => run.policyCheck === 'overridable',
    because: 'it has no failed policies that can be overridden',
  },
  'policies failed, not overridable': {
    holds: (run) => run.policyCheck === 'failed',
    because: 'its policies have not failed, or can be overridden',
  },
  'policies done': {
    holds: (run) => run.policyCheck === 'none' || run.status !== 'planned',
    because: 'its policies have not been evaluated',
  },
  'nothing to apply': {
    holds: (run) => run.planOnly || !(run.hasChanges || run.options.allowEmptyApply),
    because: 'there is something to apply',
  },
  'save plan': { holds: (run) => run.savePlan, because: 'it was not created to save its plan' },
  'auto-apply': {
    holds: (run) => run.autoApply && run.creatorMayApply,
    because: 'it requires confirmation',
  },
  'cancel not requested': { holds: (run) => !run.cancelRequested, because: 'it is already being canceled' },
  'cancel requested': { holds: (run) => run.cancelRequested, because: 'cancellation was not requested' },
  'cancel overdue': {
    holds: (run) => run.cancelOverdue,
    because: 'its agent still has time to stop, until `force-cancel-available-at`',
  },
} as const satisfies Record<string, LifecycleGuard<RunGuardFacts>>;

/** The effects of a transition in addition to the new status. */
export type RunEffect =
  | 'fetch-files'
  | 'start-policy-check'
  | 'reset-policy-check'
  | 'close-policy-check'
  | 'drop-reports'
  | 'promote-version'
  | 'release-workspace'
  | 'discard-files'
  | 'discard-plan-file'
  | 'drop-pending-state'
  | 'archive-version';

export type RunTransition = LifecycleRow<RunStatus, string, keyof typeof runGuards, RunEffect>;

const rests = ['planned', 'post_plan_completed'] as const;
const completion = [
  'close-policy-check',
  'discard-files',
  'discard-plan-file',
  'archive-version',
  'release-workspace',
] as const;

const step = { guards: [], automatic: false, effects: [], refusedAs: 'run/transition-refused' } as const;
const automatic = { ...step, automatic: true } as const;

/** The complete lifecycle of a run. `Run` only reads it; the first applicable automatic row fires. */
export const runLifecycle = [
  {
    ...automatic,
    trigger: 'fetch-files',
    from: ['pending'],
    guards: ['workspace available', 'files missing'],
    to: 'fetching',
    effects: ['fetch-files'],
    done: 'prepared',
  },
  {
    ...automatic,
    trigger: 'queue-plan',
    from: ['pending'],
    guards: ['workspace available', 'files available'],
    to: 'plan_queued',
    done: 'queued',
  },
  { ...step, trigger: 'finish-fetch', from: ['fetching'], to: 'plan_queued', done: 'queued' },
  { ...step, trigger: 'start-plan', from: ['plan_queued'], to: 'planning', done: 'planned' },
  {
    ...step,
    trigger: 'lose-plan',
    from: ['planning', 'post_plan_running'],
    to: 'plan_queued',
    effects: ['drop-reports', 'reset-policy-check'],
    done: 'queued again',
  },
  { ...step, trigger: 'finish-plan', from: ['planning'], to: 'planned', done: 'planned' },
  {
    ...automatic,
    trigger: 'start-policy-check',
    from: ['planned'],
    guards: ['policies apply'],
    to: 'post_plan_running',
    effects: ['start-policy-check'],
    done: 'checked',
  },
  {
    ...automatic,
    trigger: 'pass-policy-check',
    from: ['post_plan_running'],
    guards: ['policies passed'],
    to: 'post_plan_completed',
    done: 'checked',
  },
  {
    ...automatic,
    trigger: 'await-override',
    from: ['post_plan_running'],
    guards: ['policies failed, overridable'],
    to: 'post_plan_awaiting_decision',
    done: 'checked',
  },
  {
    ...automatic,
    trigger: 'fail-policy-check',
    from: ['post_plan_running'],
    guards: ['policies failed, not overridable'],
    to: 'errored',
    effects: completion,
    failure: 'policies that cannot be overridden failed or could not be evaluated',
    done: 'checked',
  },
  {
    ...step,
    trigger: 'override-policies',
    from: ['post_plan_awaiting_decision'],
    to: 'post_plan_completed',
    done: 'overridden',
  },
  {
    ...automatic,
    trigger: 'finish-without-apply',
    from: rests,
    guards: ['policies done', 'nothing to apply'],
    to: 'planned_and_finished',
    effects: completion,
    done: 'finished',
  },
  {
    ...automatic,
    trigger: 'save-plan',
    from: rests,
    guards: ['policies done', 'save plan'],
    to: 'planned_and_saved',
    effects: ['release-workspace'],
    done: 'saved',
  },
  {
    ...automatic,
    trigger: 'confirm-by-itself',
    from: rests,
    guards: ['policies done', 'auto-apply'],
    to: 'confirmed',
    done: 'applied',
  },
  { ...step, trigger: 'confirm', from: [...rests, 'planned_and_saved'], to: 'confirmed', done: 'applied' },
  {
    ...automatic,
    trigger: 'queue-apply',
    from: ['confirmed'],
    guards: ['workspace available'],
    to: 'apply_queued',
    done: 'applied',
  },
  { ...step, trigger: 'start-apply', from: ['apply_queued'], to: 'applying', done: 'applied' },
  {
    ...step,
    trigger: 'finish-apply',
    from: ['applying'],
    to: 'applied',
    effects: ['promote-version', 'drop-pending-state', ...completion],
    done: 'applied',
  },
  {
    ...step,
    trigger: 'discard',
    from: ['pending', 'post_plan_awaiting_decision', ...rests, 'planned_and_saved'],
    to: 'discarded',
    effects: completion,
    done: 'discarded',
  },
  {
    ...step,
    trigger: 'cancel',
    from: ['pending', 'fetching', 'plan_queued', 'planning', 'post_plan_running', 'confirmed', 'apply_queued'],
    to: 'canceled',
    effects: completion,
    done: 'canceled',
  },
  {
    // The agent must be able to finish an apply it has begun: until it reports, no other agent may change the state.
    ...step,
    trigger: 'request-cancel',
    from: ['applying'],
    guards: ['cancel not requested'],
    to: 'applying',
    done: 'canceled',
  },
  {
    ...step,
    trigger: 'finish-cancel',
    from: ['applying'],
    guards: ['cancel requested'],
    to: 'canceled',
    effects: ['drop-pending-state', ...completion],
    done: 'canceled',
  },
  {
    // Not even the agent knows then what it has applied.
    ...step,
    trigger: 'force-cancel',
    from: ['applying'],
    guards: ['cancel requested', 'cancel overdue'],
    to: 'canceled',
    effects: ['drop-pending-state', ...completion],
    done: 'canceled by force',
  },
  {
    // The runs before it are ended first, which starts it.
    ...step,
    trigger: 'force-execute',
    from: ['pending'],
    guards: ['workspace held'],
    to: 'pending',
    refusedAs: 'run/not-blocked',
    done: 'executed by force',
  },
  {
    ...step,
    trigger: 'fail',
    from: ['fetching', 'planning', 'post_plan_running', 'applying'],
    to: 'errored',
    effects: ['drop-pending-state', ...completion],
    done: 'marked errored',
  },
] as const satisfies readonly RunTransition[];

export type RunTrigger = (typeof runLifecycle)[number]['trigger'];
