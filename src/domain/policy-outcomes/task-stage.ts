import { DomainError } from '../shared/domain-error.js';
import type { Instant, PolicyEvaluationId, RunId, TaskStageId } from '../shared/id.js';
import type { PolicyKind } from './policy.js';
import type { AppliedPolicySet } from './policy-set.js';
import {
  addedUp,
  blocks,
  noResults,
  type PolicySetOutcome,
  type ResultCount,
  resultCountOf,
} from './policy-set-outcome.js';

export const evaluationStatuses = [
  'pending',
  'running',
  'passed',
  'failed',
  'errored',
  'overridden',
  'canceled',
] as const;

export type EvaluationStatus = (typeof evaluationStatuses)[number];

export const taskStageStatuses = [
  'pending',
  'running',
  'passed',
  'awaiting_override',
  'failed',
  'errored',
  'canceled',
] as const;

export type TaskStageStatus = (typeof taskStageStatuses)[number];

interface Move<Status> {
  readonly from: readonly Status[];
  readonly to: Status;
}

/** What each trigger does to an evaluation. Where it does not start from its status, the evaluation stays as it is. */
export const evaluationMoves = {
  start: { from: ['pending'], to: 'running' },
  pass: { from: ['running'], to: 'passed' },
  fail: { from: ['running'], to: 'failed' },
  error: { from: ['running'], to: 'errored' },
  override: { from: ['failed', 'errored'], to: 'overridden' },
  close: { from: ['pending', 'running'], to: 'canceled' },
  reset: { from: ['running', 'passed', 'failed', 'errored'], to: 'pending' },
} as const satisfies Record<string, Move<EvaluationStatus>>;

/** What each trigger does to a stage. */
export const taskStageMoves = {
  start: { from: ['pending'], to: 'running' },
  pass: { from: ['running'], to: 'passed' },
  'await-override': { from: ['running'], to: 'awaiting_override' },
  fail: { from: ['running'], to: 'failed' },
  error: { from: ['running'], to: 'errored' },
  override: { from: ['awaiting_override'], to: 'passed' },
  close: { from: ['pending', 'running', 'awaiting_override'], to: 'canceled' },
  reset: { from: ['running'], to: 'pending' },
} as const satisfies Record<string, Move<TaskStageStatus>>;

/** The policies of one kind that a run is held to, and what they said. */
export interface PolicyEvaluation {
  readonly id: PolicyEvaluationId;
  readonly kind: PolicyKind;
  readonly status: EvaluationStatus;
  /** Empty until an agent reported. */
  readonly policyToolVersion: string;
  /** The sets to be evaluated, as they were when the run was created. */
  readonly policySets: readonly AppliedPolicySet[];
  /** Summed up over its outcomes when they were reported; they do not change after that. */
  readonly resultCount: ResultCount;
  /** Whether each set that stands in the run's way may be overridden. True when none does. */
  readonly overridable: boolean;
  readonly statusTimestamps: Readonly<Record<string, Instant>>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Where a run is held to policies: after its plan. It exists as soon as the run does. */
export interface TaskStage {
  readonly id: TaskStageId;
  readonly runId: RunId;
  readonly stage: 'post_plan';
  readonly status: TaskStageStatus;
  /** One for each kind of policy. */
  readonly evaluations: readonly PolicyEvaluation[];
  readonly statusTimestamps: Readonly<Record<string, Instant>>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Rises by one with every change; a save based on an older one is refused. */
  readonly revision: number;
}

/** A policy evaluation as readers see it: with where it belongs, and without the sets to be evaluated. */
export interface LocatedEvaluation extends Omit<PolicyEvaluation, 'policySets'> {
  readonly taskStageId: TaskStageId;
}

const stamped = (timestamps: Readonly<Record<string, Instant>>, status: string, now: Instant) => ({
  ...timestamps,
  [`${status.replaceAll('_', '-')}-at`]: now,
});

const begins = (move: Move<string>, status: string): boolean => move.from.includes(status);

const moveEvaluation = (
  evaluation: PolicyEvaluation,
  trigger: keyof typeof evaluationMoves,
  now: Instant,
  change: Partial<PolicyEvaluation> = {},
): PolicyEvaluation => {
  const move = evaluationMoves[trigger];
  if (!begins(move, evaluation.status)) return evaluation;
  const statusTimestamps = stamped(evaluation.statusTimestamps, move.to, now);
  return { ...evaluation, ...change, status: move.to, statusTimestamps, updatedAt: now };
};

const moveStage = (stage: TaskStage, trigger: keyof typeof taskStageMoves, now: Instant): TaskStage => {
  const move = taskStageMoves[trigger];
  if (!begins(move, stage.status)) return stage;
  return { ...stage, status: move.to, statusTimestamps: stamped(stage.statusTimestamps, move.to, now), updatedAt: now };
};

const changed = (stage: TaskStage): TaskStage => ({ ...stage, revision: stage.revision + 1 });

/** A stage as it comes into being with its run. */
export function openTaskStage(
  given: Pick<TaskStage, 'id' | 'runId' | 'createdAt'>,
  evaluations: readonly Pick<PolicyEvaluation, 'id' | 'kind' | 'policySets'>[],
): TaskStage {
  const fresh = { status: 'pending', createdAt: given.createdAt, updatedAt: given.createdAt } as const;
  const statusTimestamps = { 'pending-at': given.createdAt };
  return {
    ...given,
    ...fresh,
    stage: 'post_plan',
    statusTimestamps,
    revision: 0,
    evaluations: evaluations.map((evaluation) => ({
      ...evaluation,
      ...fresh,
      statusTimestamps,
      policyToolVersion: '',
      resultCount: noResults,
      overridable: true,
    })),
  };
}

/** Moves the stage, if it starts from its status, and the evaluations with it. `reset` forgets what was reported. */
export function moveAll(stage: TaskStage, trigger: 'start' | 'close' | 'reset', now: Instant): TaskStage {
  const forgotten =
    trigger === 'reset' ? ({ policyToolVersion: '', resultCount: noResults, overridable: true } as const) : {};
  if (!begins(taskStageMoves[trigger], stage.status)) return changed(stage);
  return changed({
    ...moveStage(stage, trigger, now),
    evaluations: stage.evaluations.map((evaluation) => moveEvaluation(evaluation, trigger, now, forgotten)),
  });
}

/** Throws `task-stage/transition-refused` unless a failure waits to be overridden. */
export function overrideStage(stage: TaskStage, now: Instant): TaskStage {
  if (!canOverride(stage)) {
    throw new DomainError(
      'task-stage/transition-refused',
      `task stage could not be overridden because its status is ${stage.status}`,
    );
  }
  return changed({
    ...moveStage(stage, 'override', now),
    evaluations: stage.evaluations.map((evaluation) => moveEvaluation(evaluation, 'override', now)),
  });
}

export const canOverride = ({ status }: Pick<TaskStage, 'status'>): boolean => begins(taskStageMoves.override, status);

/**
 * The stage once an evaluation's outcomes are known; it ends with its last evaluation. Throws
 * `task-stage/transition-refused` unless the evaluation is running.
 */
export function concludeEvaluation(
  stage: TaskStage,
  id: PolicyEvaluationId,
  policyToolVersion: string,
  outcomes: readonly PolicySetOutcome[],
  now: Instant,
): TaskStage {
  const status = stage.evaluations.find((evaluation) => evaluation.id === id)?.status ?? 'not part of the stage';
  if (status !== 'running') {
    throw new DomainError('task-stage/transition-refused', `policy evaluation could not be reported: it is ${status}`);
  }
  const resultCount = addedUp(outcomes.map(resultCountOf));
  const blocking = outcomes.filter(blocks);
  const overridable = blocking.every((set) => set.overridable);
  const evaluations = stage.evaluations.map((evaluation) =>
    evaluation.id === id
      ? moveEvaluation(evaluation, verdictTrigger(blocking), now, { policyToolVersion, resultCount, overridable })
      : evaluation,
  );
  const reported = { ...stage, evaluations };
  const open = evaluations.some((evaluation) => evaluation.status === 'running');
  return changed(open ? reported : moveStage(reported, conclusionOf(evaluations), now));
}

const verdictTrigger = (blocking: readonly PolicySetOutcome[]): 'pass' | 'fail' | 'error' => {
  if (blocking.length === 0) return 'pass';
  return blocking.some(({ error, outcomes }) => error !== null || outcomes.some((one) => one.status === 'errored'))
    ? 'error'
    : 'fail';
};

const conclusionOf = (evaluations: readonly PolicyEvaluation[]): keyof typeof taskStageMoves => {
  const blocking = evaluations.filter(({ status }) => status !== 'passed');
  if (blocking.length === 0) return 'pass';
  if (blocking.every(({ overridable }) => overridable)) return 'await-override';
  return blocking.some(({ status }) => status === 'errored') ? 'error' : 'fail';
};
