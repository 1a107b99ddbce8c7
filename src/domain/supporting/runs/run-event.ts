import type { Instant } from '../../shared/id.js';
import { stampOf } from '../../shared/lifecycle-engine.js';
import type { TokenOwner } from '../../shared/token-owner.js';
import type { RunDecision, RunState } from './run.js';
import { type RunStatus, runStatuses } from './run-status.js';

/** An event in the life of a run. */
export interface RunEvent {
  /** The status it reached, or `created`. */
  readonly action: RunStatus | 'created';
  /** A sentence. */
  readonly description: string;
  readonly createdAt: Instant;
  /** Null if it was automatic, or if the actor is no longer known. */
  readonly actor: TokenOwner | null;
  /** The comment that came with it. */
  readonly comment: string | null;
}

const descriptions: Readonly<Record<RunStatus, string>> = {
  pending: 'The run is waiting for its workspace',
  fetching: 'The configuration is being fetched again',
  plan_queued: 'The plan is waiting for an agent',
  pre_plan_running: 'Run tasks before the plan are called',
  pre_plan_completed: 'Run tasks before the plan passed',
  planning: 'An agent started the plan',
  planned: 'The plan finished',
  planned_and_saved: 'The plan was saved to be applied later',
  post_plan_running: 'An agent started the policy evaluation',
  post_plan_awaiting_decision: 'Policies failed and can be overridden',
  post_plan_completed: 'Policies passed or were overridden',
  confirmed: 'The plan was confirmed',
  pre_apply_running: 'Run tasks before the apply are called',
  pre_apply_completed: 'Run tasks before the apply passed',
  apply_queued: 'The apply is waiting for an agent',
  applying: 'An agent started the apply',
  applied: 'The apply finished',
  planned_and_finished: 'The run finished with nothing to apply',
  discarded: 'The run was discarded',
  errored: 'The run errored',
  canceled: 'The run was canceled',
};

/** The status that a decision leads to. */
const decided: Readonly<Record<RunDecision['action'], RunStatus>> = {
  confirm: 'confirmed',
  discard: 'discarded',
  cancel: 'canceled',
};

const statusOfStamp: ReadonlyMap<string, RunStatus> = new Map(runStatuses.map((status) => [stampOf(status), status]));

/** The recorded events of a run, in order: its creation, and the latest time it reached each status. */
export function runEventsOf({
  createdAt,
  createdBy,
  statusTimestamps,
  failure,
  decisions,
}: RunState): readonly RunEvent[] {
  const reached = Object.entries(statusTimestamps).flatMap(([stamp, at]): readonly RunEvent[] => {
    const action = statusOfStamp.get(stamp);
    if (action === undefined) return [];
    const description = (action === 'errored' ? failure : null) ?? descriptions[action];
    const decision = decisions.findLast((one) => decided[one.action] === action);
    return [{ action, description, createdAt: at, actor: decision?.by ?? null, comment: decision?.comment ?? null }];
  });
  const created: RunEvent = {
    action: 'created',
    description: 'The run was created',
    createdAt,
    actor: createdBy,
    comment: null,
  };
  // The sort is stable: events of the same instant keep the order of their stamps.
  return [created, ...reached.sort((a, b) => (a.createdAt < b.createdAt ? -1 : Number(a.createdAt > b.createdAt)))];
}
