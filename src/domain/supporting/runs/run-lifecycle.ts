import type { LifecycleRow } from '../../shared/lifecycle-engine.js';
import type { runGuards } from './run-guards.js';
import type { RunStatus } from './run-status.js';

/** The effects of a transition in addition to the new status. */
export type RunEffect =
  | 'fetch-files'
  | 'start-pre-plan'
  | 'start-policy-check'
  | 'start-pre-apply'
  | 'start-post-apply'
  | 'follow-run-triggers'
  | 'reset-policy-check'
  | 'close-task-stages'
  | 'release-agent'
  | 'drop-reports'
  | 'promote-version'
  | 'release-workspace'
  | 'discard-files'
  | 'discard-plan-file'
  | 'drop-pending-state'
  | 'archive-version';

export type RunTransition = LifecycleRow<RunStatus, string, keyof typeof runGuards, RunEffect>;

const rests = ['planned', 'post_plan_completed'] as const;
/** A run no longer needs these once it is over. */
const leftovers = ['discard-files', 'discard-plan-file', 'archive-version', 'release-workspace'] as const;
const completion = ['close-task-stages', ...leftovers] as const;

const step = { guards: [], automatic: false, effects: [], refusedAs: 'run/transition-refused' } as const;
const automatic = { ...step, automatic: true } as const;
const check = { ...automatic, done: 'checked' } as const;

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
  {
    // Before an agent may claim it, also when it was queued by a fetch of its files.
    ...check,
    trigger: 'start-pre-plan',
    from: ['plan_queued'],
    guards: ['tasks before the plan'],
    to: 'pre_plan_running',
    effects: ['start-pre-plan'],
  },
  {
    ...check,
    trigger: 'pass-pre-plan',
    from: ['pre_plan_running'],
    guards: ['tasks before the plan passed'],
    to: 'pre_plan_completed',
  },
  {
    ...check,
    trigger: 'fail-pre-plan',
    from: ['pre_plan_running'],
    guards: ['tasks before the plan failed'],
    to: 'errored',
    effects: completion,
    failure: 'a mandatory run task before the plan did not pass',
  },
  { ...automatic, trigger: 'requeue-plan', from: ['pre_plan_completed'], to: 'plan_queued', done: 'queued' },
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
    ...check,
    trigger: 'start-policy-check',
    from: ['planned'],
    guards: ['policies apply'],
    to: 'post_plan_running',
    effects: ['start-policy-check'],
  },
  {
    ...check,
    trigger: 'pass-policy-check',
    from: ['post_plan_running'],
    guards: ['policies passed'],
    to: 'post_plan_completed',
  },
  {
    ...check,
    trigger: 'await-override',
    from: ['post_plan_running'],
    guards: ['policies failed, overridable'],
    to: 'post_plan_awaiting_decision',
  },
  {
    ...check,
    trigger: 'fail-policy-check',
    from: ['post_plan_running'],
    guards: ['policies failed, not overridable'],
    to: 'errored',
    effects: completion,
    failure: 'policies that cannot be overridden failed or could not be evaluated',
  },
  {
    // The agent has evaluated the policies: it need not wait for run tasks, and is not lost if it does not.
    ...automatic,
    trigger: 'release-agent',
    from: ['post_plan_running'],
    guards: ['policies evaluated', 'under lease'],
    to: 'post_plan_running',
    effects: ['release-agent'],
    done: 'released',
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
    ...check,
    trigger: 'start-pre-apply',
    from: ['confirmed'],
    guards: ['workspace available', 'tasks before the apply'],
    to: 'pre_apply_running',
    effects: ['start-pre-apply'],
  },
  {
    ...check,
    trigger: 'pass-pre-apply',
    from: ['pre_apply_running'],
    guards: ['tasks before the apply passed'],
    to: 'pre_apply_completed',
  },
  {
    ...check,
    trigger: 'fail-pre-apply',
    from: ['pre_apply_running'],
    guards: ['tasks before the apply failed'],
    to: 'errored',
    effects: completion,
    failure: 'a mandatory run task before the apply did not pass',
  },
  {
    ...automatic,
    trigger: 'queue-apply',
    from: ['confirmed', 'pre_apply_completed'],
    guards: ['workspace available', 'tasks before the apply called'],
    to: 'apply_queued',
    done: 'applied',
  },
  { ...step, trigger: 'start-apply', from: ['apply_queued'], to: 'applying', done: 'applied' },
  {
    ...step,
    trigger: 'finish-apply',
    from: ['applying'],
    to: 'applied',
    // The run is over: run tasks after the apply are called, and can no longer stop anything.
    effects: ['promote-version', 'drop-pending-state', 'start-post-apply', 'follow-run-triggers', ...leftovers],
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
    from: [
      'pending',
      'fetching',
      'plan_queued',
      'pre_plan_running',
      'pre_plan_completed',
      'planning',
      'post_plan_running',
      'confirmed',
      'pre_apply_running',
      'pre_apply_completed',
      'apply_queued',
    ],
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
