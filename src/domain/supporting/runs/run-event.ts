import type { Instant, RunCommentId, RunId } from '../../shared/id.js';
import { stampOf } from '../../shared/lifecycle-engine.js';
import type { TokenOwner } from '../../shared/token-owner.js';
import type { RunDecision, RunState } from './run.js';
import { type RunStatus, runStatuses } from './run-status.js';

/** A comment that did not come with an action on the run. */
export interface RunComment {
  readonly id: RunCommentId;
  readonly runId: RunId;
  readonly body: string;
  readonly createdBy: TokenOwner;
  readonly createdAt: Instant;
}

/** A comment whose text is not read. */
export type DatedComment = Omit<RunComment, 'body'>;

/** Lists of comments are not paginated; these limits bound their size. */
export const runCommentLimits = { characters: 4096, ofRun: 100 } as const;

/** A status is reached once; the same holds for the other actions, except `commented`. */
export const runEventActions = ['created', ...runStatuses, 'cancel_requested', 'force_executed', 'commented'] as const;

/** An event in the life of a run. */
export interface RunEvent {
  /** The status it reached, or what happened otherwise. */
  readonly action: (typeof runEventActions)[number];
  /** A sentence. */
  readonly description: string;
  readonly createdAt: Instant;
  /** Null if it was automatic, or if the actor is no longer known. */
  readonly actor: TokenOwner | null;
  readonly comment: string | null;
  /** Null unless it is `commented`. */
  readonly commentId: RunCommentId | null;
}

/** Identifies an event. No row is stored for those that have an action of their own. */
export type RunEventReference =
  | { readonly runId: RunId; readonly action: string }
  | { readonly commentId: RunCommentId };

const descriptions: Readonly<Record<RunEvent['action'], string>> = {
  created: 'The run was created',
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
  cancel_requested: 'The agent was asked to stop',
  force_executed: 'The runs before it were discarded',
  commented: 'A comment was added',
};

/** The status that a decision leads to; null if it only starts the run. */
const decided: Readonly<Record<RunDecision['action'], RunStatus | null>> = {
  confirm: 'confirmed',
  discard: 'discarded',
  cancel: 'canceled',
  override: 'post_plan_completed',
  'force-cancel': 'canceled',
  'force-execute': null,
};

const statusOfStamp: ReadonlyMap<string, RunStatus> = new Map(runStatuses.map((status) => [stampOf(status), status]));

const event = (
  action: RunEvent['action'],
  createdAt: Instant,
  more: Partial<Omit<RunEvent, 'action' | 'createdAt'>> = {},
): RunEvent => ({
  action,
  description: descriptions[action],
  createdAt,
  actor: null,
  comment: null,
  commentId: null,
  ...more,
});

/**
 * The recorded events of a run, in order: its creation, the latest time it reached each status, and its comments. A comment
 * that came with an action belongs to the event of that action. Events of comments whose text was not read have none.
 */
export function runEventsOf(
  { createdAt, createdBy, statusTimestamps, failure, decisions }: RunState,
  comments: readonly (DatedComment & Partial<RunComment>)[] = [],
): readonly RunEvent[] {
  const reached = Object.entries(statusTimestamps).flatMap(([stamp, at]): readonly RunEvent[] => {
    const status = statusOfStamp.get(stamp);
    if (status === undefined) return [];
    const decision = decisions.findLast(({ action }) => decided[action] === status);
    const told = status === 'errored' && failure !== null ? { description: failure } : {};
    const comment = decision?.at === at ? decision.comment : null;
    return [event(status, at, { ...told, actor: decision?.by ?? null, comment })];
  });
  const other = decisions.flatMap(({ action, at, by: actor, comment }) => {
    if (action === 'force-execute') return [event('force_executed', at, { actor, comment })];
    // An agent that applies the run stops later, if at all.
    const requested = action === 'cancel' && statusTimestamps[stampOf('canceled')] !== at;
    return requested ? [event('cancel_requested', at, { actor, comment })] : [];
  });
  const commented = comments.map(({ id, body = null, createdBy: actor, createdAt: at }) =>
    event('commented', at, { actor, comment: body, commentId: id }),
  );
  // The sort is stable: events of the same instant keep the order of their stamps.
  const later = [...reached, ...other, ...commented].sort((a, b) =>
    a.createdAt < b.createdAt ? -1 : Number(a.createdAt > b.createdAt),
  );
  return [event('created', createdAt, { actor: createdBy }), ...later];
}

/** Whether the reference is to this event, which belongs to the run that the reference names. */
export const isReferredTo = (one: RunEvent, reference: RunEventReference): boolean =>
  'commentId' in reference
    ? one.commentId === reference.commentId
    : one.commentId === null && one.action === reference.action;
