import { DomainError } from '../shared/domain-error.js';
import type { Instant, PolicyEvaluationId, RunId, TaskStageId } from '../shared/id.js';
import { Lifecycle, type LifecycleRow } from '../shared/lifecycle-engine.js';
import { revised } from '../shared/revision.js';
import type { PolicyKind } from '../supporting/policies/policy.js';
import type { AppliedPolicySet } from '../supporting/policies/policy-set.js';
import { awaited, isOpen, moveResult, type TaskResult } from '../supporting/run-tasks/task-result.js';
import type { TaskStageName } from '../supporting/run-tasks/task-stage-name.js';
import {
  blocks,
  noResults,
  type PolicySetOutcome,
  type ResultCount,
  resultCountOf,
  sumOfCounts,
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

/** Only there can a run wait for a decision; elsewhere a failure is final. */
const overridableStages: readonly TaskStageName[] = ['post_plan'];

export type TaskStageStatus = (typeof taskStageStatuses)[number];

export type EvaluationTrigger = 'start' | 'pass' | 'fail' | 'error' | 'override' | 'close' | 'reset';
export type TaskStageTrigger = EvaluationTrigger | 'await-override';

const move = { guards: [], effects: [], refusedAs: 'task-stage/transition-refused', done: 'moved' } as const;

/** The complete lifecycle of an evaluation. A trigger that does not start from the current status has no effect. */
export const evaluationMoves: readonly LifecycleRow<EvaluationStatus, EvaluationTrigger>[] = [
  { ...move, trigger: 'start', from: ['pending'], to: 'running' },
  { ...move, trigger: 'pass', from: ['running'], to: 'passed' },
  { ...move, trigger: 'fail', from: ['running'], to: 'failed' },
  { ...move, trigger: 'error', from: ['running'], to: 'errored' },
  { ...move, trigger: 'override', from: ['failed', 'errored'], to: 'overridden' },
  { ...move, trigger: 'close', from: ['pending', 'running'], to: 'canceled' },
  { ...move, trigger: 'reset', from: ['running', 'passed', 'failed', 'errored'], to: 'pending' },
];

/** The complete lifecycle of a stage. Only `override` is refused if it does not start from the current status. */
export const taskStageMoves: readonly LifecycleRow<TaskStageStatus, TaskStageTrigger>[] = [
  { ...move, trigger: 'start', from: ['pending'], to: 'running' },
  { ...move, trigger: 'pass', from: ['running'], to: 'passed' },
  { ...move, trigger: 'await-override', from: ['running'], to: 'awaiting_override' },
  { ...move, trigger: 'fail', from: ['running'], to: 'failed' },
  { ...move, trigger: 'error', from: ['running'], to: 'errored' },
  { ...move, trigger: 'override', from: ['awaiting_override'], to: 'passed', done: 'overridden' },
  { ...move, trigger: 'close', from: ['pending', 'running', 'awaiting_override'], to: 'canceled' },
  { ...move, trigger: 'reset', from: ['running'], to: 'pending' },
];

/** The policies of one kind that apply to a run, and their results. */
export interface PolicyEvaluation {
  readonly id: PolicyEvaluationId;
  readonly kind: PolicyKind;
  readonly status: EvaluationStatus;
  /** Empty until an agent has reported. */
  readonly policyToolVersion: string;
  /** A snapshot of the sets to evaluate, taken when the run was created. */
  readonly policySets: readonly AppliedPolicySet[];
  /** The totals over its outcomes, computed when they are reported; they do not change afterwards. */
  readonly resultCount: ResultCount;
  /** Whether every set that blocks the run may be overridden. True if none blocks it. */
  readonly overridable: boolean;
  readonly statusTimestamps: Readonly<Record<string, Instant>>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A point in a run at which run tasks are called, and after the plan also policies evaluated. Created with the run. */
export interface TaskStage {
  readonly id: TaskStageId;
  readonly runId: RunId;
  readonly stage: TaskStageName;
  readonly status: TaskStageStatus;
  /** One per policy kind. */
  readonly evaluations: readonly PolicyEvaluation[];
  /** One per run task. */
  readonly results: readonly TaskResult[];
  readonly statusTimestamps: Readonly<Record<string, Instant>>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Incremented with every change; a save based on an older revision is refused. */
  readonly revision: number;
}

/** A stage without the contents of its evaluations, which hold whole policy sets, and of its results. */
export interface TaskStageSummary extends Omit<TaskStage, 'evaluations' | 'results'> {
  readonly evaluations: readonly Pick<PolicyEvaluation, 'id'>[];
  readonly results: readonly Pick<TaskResult, 'id'>[];
}

/** A policy evaluation as readers see it: with its stage and run, and without the sets to evaluate. */
export interface LocatedEvaluation extends Omit<PolicyEvaluation, 'policySets'> {
  readonly taskStageId: TaskStageId;
}

/** A result as readers see it: with its stage and run. */
export interface LocatedResult extends TaskResult {
  readonly taskStageId: TaskStageId;
  readonly runId: RunId;
  readonly stage: TaskStageName;
}

const evaluationLife = new Lifecycle('policy evaluation', evaluationMoves, {});
const stageLife = new Lifecycle('task stage', taskStageMoves, {});

type NewResult = Pick<
  TaskResult,
  'id' | 'taskId' | 'taskName' | 'taskUrl' | 'workspaceTaskId' | 'enforcementLevel' | 'speculative'
>;

/** An initial stage of a new run. */
export function openTaskStage(
  given: Pick<TaskStage, 'id' | 'runId' | 'stage' | 'createdAt'>,
  evaluations: readonly Pick<PolicyEvaluation, 'id' | 'kind' | 'policySets'>[],
  results: readonly NewResult[] = [],
): TaskStage {
  const fresh = { status: 'pending', createdAt: given.createdAt, updatedAt: given.createdAt } as const;
  const statusTimestamps = { 'pending-at': given.createdAt };
  return {
    ...given,
    ...fresh,
    statusTimestamps,
    revision: 0,
    results: results.map((result) => ({
      ...result,
      ...fresh,
      statusTimestamps,
      message: '',
      url: '',
      tokenDigest: null,
      calledAt: null,
      deadline: null,
    })),
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

/** The results after a trigger of their stage. An override changes none: what a task said stays said. */
const resultsAfter: Readonly<
  Record<'start' | 'override' | 'close' | 'reset', (result: TaskResult, now: Instant) => TaskResult>
> = {
  start: awaited,
  override: (result) => ({ ...result, tokenDigest: null }),
  close: (result, now) => ({ ...moveResult(result, 'close', now), tokenDigest: null }),
  reset: (result, now) => ({ ...moveResult(result, 'reset', now), tokenDigest: null, deadline: null }),
};

/**
 * Moves the stage, if the trigger starts from its status, with its evaluations and results. `reset` discards what was
 * reported.
 */
export function moveAll(stage: TaskStage, trigger: 'start' | 'override' | 'close' | 'reset', now: Instant): TaskStage {
  if (!stageLife.startsFrom(stage.status, trigger)) return revised(stage);
  const forgotten =
    trigger === 'reset' ? ({ policyToolVersion: '', resultCount: noResults, overridable: true } as const) : {};
  const evaluations = stage.evaluations.map((evaluation) =>
    evaluationLife.moved(evaluation, trigger, now, { ...forgotten, updatedAt: now }),
  );
  const results = stage.results.map((result) => resultsAfter[trigger](result, now));
  return revised(stageLife.moved(stage, trigger, now, { evaluations, results, updatedAt: now }));
}

/** Whether it has not ended. */
export const isUnderWay = ({ status }: Pick<TaskStage, 'status'>): boolean => stageLife.startsFrom(status, 'close');

/** Whether what was reported may be discarded. Outcomes of a stage that ended are final: they are added up once. */
export const canReset = ({ status }: Pick<TaskStage, 'status'>): boolean => stageLife.startsFrom(status, 'reset');

/** Whether an agent has yet to evaluate policies of it. */
export const hasOpenEvaluations = ({ evaluations }: TaskStage): boolean =>
  evaluations.some(({ status }) => evaluationLife.startsFrom(status, 'close'));

/** Throws `task-stage/transition-refused` unless a failure is waiting for an override. */
export function overrideStage(stage: TaskStage, now: Instant): TaskStage {
  stageLife.fire('override', stage);
  return moveAll(stage, 'override', now);
}

export const canOverride = ({ status }: Pick<TaskStage, 'status'>): boolean => stageLife.startsFrom(status, 'override');

/**
 * The stage after an evaluation's outcomes are reported; it ends with its last evaluation. Throws
 * `task-stage/transition-refused` unless the evaluation is running.
 */
export function concludeEvaluation(
  stage: TaskStage,
  id: PolicyEvaluationId,
  policyToolVersion: string,
  outcomes: readonly PolicySetOutcome[],
  now: Instant,
): TaskStage {
  const reportedOn = stage.evaluations.find((evaluation) => evaluation.id === id);
  if (reportedOn?.status !== 'running') {
    const status = reportedOn?.status ?? 'not part of the stage';
    throw new DomainError(
      'task-stage/transition-refused',
      `policy evaluation could not be reported because its status is ${status}`,
    );
  }
  const resultCount = sumOfCounts(outcomes.map(resultCountOf));
  const blocking = outcomes.filter((outcome) => blocks(reportedOn.policySets[outcome.position], outcome));
  const overridable = blocking.every((set) => set.overridable);
  const verdict = { policyToolVersion, resultCount, overridable, updatedAt: now };
  const evaluations = stage.evaluations.map((evaluation) =>
    evaluation.id === id ? evaluationLife.moved(evaluation, verdictTrigger(blocking), now, verdict) : evaluation,
  );
  return concluded({ ...stage, evaluations }, now);
}

/** The stage with one of its results changed; it ends with its last result. */
export const withResult = (stage: TaskStage, result: TaskResult, now: Instant): TaskStage =>
  concluded({ ...stage, results: stage.results.map((one) => (one.id === result.id ? result : one)) }, now);

/** The tokens of the results end with the stage, also with one that waits for an override: every task has reported. */
function concluded(stage: TaskStage, now: Instant): TaskStage {
  const open = stage.evaluations.some(({ status }) => status === 'running') || stage.results.some(isOpen);
  if (open) return revised(stage);
  const results = stage.results.map((result) => ({ ...result, tokenDigest: null }));
  return revised(stageLife.moved(stage, conclusionOf(stage), now, { results, updatedAt: now }));
}

const verdictTrigger = (blocking: readonly PolicySetOutcome[]): 'pass' | 'fail' | 'error' => {
  if (blocking.length === 0) return 'pass';
  return blocking.some(({ error, outcomes }) => error !== null || outcomes.some((one) => one.status === 'errored'))
    ? 'error'
    : 'fail';
};

const conclusionOf = ({ stage, evaluations, results }: TaskStage): TaskStageTrigger => {
  const blocking = evaluations.filter(({ status }) => status !== 'passed');
  const stopping = results.filter((result) => result.enforcementLevel === 'mandatory' && result.status !== 'passed');
  if (blocking.length === 0 && stopping.length === 0) return 'pass';
  if (overridableStages.includes(stage) && blocking.every(({ overridable }) => overridable)) return 'await-override';
  const errored = [...blocking, ...stopping].some(({ status }) => status !== 'failed');
  return errored ? 'error' : 'fail';
};
