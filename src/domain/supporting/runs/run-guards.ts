import type { LifecycleGuard } from '../../shared/lifecycle-engine.js';
import type { RunStatus } from './run-status.js';

/**
 * The state of a task stage of a run. `waiting`: not started. `overridable`: failed, and waiting for an override.
 */
export type StageCheck = 'none' | 'waiting' | 'open' | 'passed' | 'overridable' | 'failed';

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
  readonly prePlan: StageCheck;
  /** The stage after the plan, with its policies and run tasks. */
  readonly policyCheck: StageCheck;
  readonly preApply: StageCheck;
  /** Whether policies have yet to be evaluated by an agent. */
  readonly evaluationsOpen: boolean;
  readonly lease: object | null;
}

export const runGuards = {
  'workspace available': { holds: (run) => run.workspaceAvailable, because: 'its workspace is not available' },
  'workspace held': { holds: (run) => run.workspaceHeld, because: 'no other run holds its workspace' },
  'files available': { holds: (run) => !run.filesMissing, because: 'its files must be fetched first' },
  'files missing': { holds: (run) => run.filesMissing, because: 'its files are available' },
  'tasks before the plan': { holds: (run) => run.prePlan === 'waiting', because: 'no run tasks precede its plan' },
  'tasks before the plan passed': {
    holds: (run) => run.prePlan === 'passed',
    because: 'its run tasks have not passed',
  },
  'tasks before the plan failed': {
    holds: (run) => run.prePlan === 'failed',
    because: 'its run tasks have not failed',
  },
  'tasks before the apply': { holds: (run) => run.preApply === 'waiting', because: 'no run tasks precede its apply' },
  'tasks before the apply called': {
    holds: (run) => run.preApply !== 'waiting',
    because: 'run tasks precede its apply',
  },
  'tasks before the apply passed': {
    holds: (run) => run.preApply === 'passed',
    because: 'its run tasks have not passed',
  },
  'tasks before the apply failed': {
    holds: (run) => run.preApply === 'failed',
    because: 'its run tasks have not failed',
  },
  'under lease': { holds: (run) => run.lease !== null, because: 'no agent executes it' },
  'policies evaluated': { holds: (run) => !run.evaluationsOpen, because: 'its policies have not been evaluated' },
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
