import { type Instant, later, type RunTaskId, type TaskResultId, type WorkspaceTaskId } from '../../shared/id.js';
import { Lifecycle, type LifecycleRow } from '../../shared/lifecycle-engine.js';
import { checkWebLink } from '../../shared/web-link.js';
import type { EnforcementLevel } from '../policies/policy.js';

export const taskResultStatuses = [
  'pending',
  'running',
  'passed',
  'failed',
  'errored',
  'unreachable',
  'canceled',
] as const;

export type TaskResultStatus = (typeof taskResultStatuses)[number];

export type TaskResultTrigger = 'progress' | 'pass' | 'fail' | 'time-out' | 'error' | 'lose' | 'close' | 'reset';

const move = { guards: [], effects: [], refusedAs: 'task-stage/transition-refused', done: 'changed' } as const;
const open = ['pending', 'running'] as const;

/** The complete lifecycle of the result of a run task. Only reports are refused if they do not start from its status. */
export const taskResultMoves: readonly LifecycleRow<TaskResultStatus, TaskResultTrigger>[] = [
  { ...move, trigger: 'progress', from: open, to: 'running' },
  { ...move, trigger: 'pass', from: open, to: 'passed' },
  { ...move, trigger: 'fail', from: open, to: 'failed' },
  { ...move, trigger: 'time-out', from: open, to: 'errored' },
  { ...move, trigger: 'error', from: open, to: 'errored' },
  { ...move, trigger: 'lose', from: ['pending'], to: 'unreachable' },
  { ...move, trigger: 'close', from: open, to: 'canceled' },
  { ...move, trigger: 'reset', from: ['running', 'passed', 'failed', 'errored', 'unreachable'], to: 'pending' },
];

/** A detail of a result that the task reports, such as one finding. */
export interface TaskResultOutcome {
  /** The task's own id for it. */
  readonly outcomeId: string;
  readonly description: string;
  /** Markdown, of which the service interprets nothing. */
  readonly body: string;
  readonly url: string;
  /** Labels by their heading, as the task named them. */
  readonly tags: Readonly<Record<string, readonly { readonly label: string; readonly level?: string | undefined }[]>>;
}

/** The result of one run task for one stage of a run, with the task as it was when the run was created. */
export interface TaskResult {
  readonly id: TaskResultId;
  readonly taskId: RunTaskId;
  readonly taskName: string;
  readonly taskUrl: string;
  readonly workspaceTaskId: WorkspaceTaskId;
  readonly enforcementLevel: EnforcementLevel;
  /** Whether the run is for its plan only. */
  readonly speculative: boolean;
  readonly status: TaskResultStatus;
  /** Empty until the task or the service has something to say. */
  readonly message: string;
  /** A page of the task that shows more; empty without one. */
  readonly url: string;
  /** SHA-256 of the callback token; null before the call, and once the stage has ended. */
  readonly tokenDigest: string | null;
  /** When the first attempt at the call began, from which on the task's time counts; null before it. */
  readonly calledAt: Instant | null;
  /** The service stops waiting at this instant; null while it does not wait. */
  readonly deadline: Instant | null;
  readonly statusTimestamps: Readonly<Record<string, Instant>>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The result of a task that runs as it is, passed or failed. */
export interface TaskReport {
  readonly status: 'running' | 'passed' | 'failed';
  readonly message: string | undefined;
  readonly url: string | undefined;
}

/** The limits of waiting, in seconds. */
export const taskWaits = {
  /** For the first attempt at the call. Calls wait for those of other run tasks. */
  attempt: 3600,
  /** From the first attempt, for the task's server to accept the call. */
  call: 120,
  /** Between two reports of progress. */
  progress: 600,
  /** From the first attempt at the call. */
  total: 3600,
} as const;

const life = new Lifecycle('task result', taskResultMoves, {});

export const isOpen = ({ status }: Pick<TaskResult, 'status'>): boolean => life.startsFrom(status, 'close');

/** When the service stops waiting, if the task last reported at `now`; `since` is when it was first called. */
const deadlineAfter = (now: Instant, since: Instant): Instant => {
  const [next, last] = [later(now, taskWaits.progress), later(since, taskWaits.total)];
  return next < last ? next : last;
};

/** The result once its stage starts and the task must be called. */
export const awaited = (result: TaskResult, now: Instant): TaskResult => ({
  ...result,
  calledAt: null,
  deadline: later(now, taskWaits.attempt),
});

/** The result once the call of its task is attempted. Only the first attempt counts. */
export const attempted = (result: TaskResult, now: Instant): TaskResult & { readonly calledAt: Instant } => ({
  ...result,
  ...(result.calledAt === null ? { calledAt: now, deadline: deadlineAfter(now, now) } : { calledAt: result.calledAt }),
});

/** The result with the digest of a new callback token, which replaces the one before. */
export const withToken = (result: TaskResult, tokenDigest: string): TaskResult => ({ ...result, tokenDigest });

/** The triggers that no caller chooses. A trigger that does not start from the current status has no effect. */
export function moveResult(
  result: TaskResult,
  trigger: 'progress' | 'time-out' | 'error' | 'lose' | 'close' | 'reset',
  now: Instant,
  message = result.message,
): TaskResult {
  const ended = { deadline: null, updatedAt: now, message };
  const changes = {
    progress: { updatedAt: now },
    'time-out': ended,
    error: ended,
    lose: ended,
    close: ended,
    reset: { updatedAt: now, message: '', url: '', calledAt: null },
  } as const;
  return life.moved(result, trigger, now, changes[trigger]);
}

const triggerOf = { running: 'progress', passed: 'pass', failed: 'fail' } as const satisfies Record<
  TaskReport['status'],
  TaskResultTrigger
>;

/** Throws `task-stage/transition-refused` for a result that is final. */
export function reportedResult(
  result: TaskResult,
  { status, message = result.message, url = result.url }: TaskReport,
  now: Instant,
): TaskResult {
  const trigger = triggerOf[status];
  life.fire(trigger, result);
  const deadline = trigger === 'progress' ? deadlineAfter(now, result.calledAt ?? now) : null;
  return life.moved(result, trigger, now, { message, url, deadline, updatedAt: now });
}

/** The bounds of what a task may report. */
export const taskReportLimits = { message: 8192, url: 2048, outcomes: 100, outcomeId: 255, description: 4096 } as const;

/** Throws `attribute/invalid` for a link that is neither empty nor one of http or https. */
export function checkLinks({ url = '' }: TaskReport, outcomes: readonly TaskResultOutcome[]): void {
  const at = (place: string) => ({ member: `${place}attributes/url` });
  if (url !== '') checkWebLink(url, 'Url', at('data/'));
  for (const [index, { url }] of outcomes.entries()) {
    if (url !== '') checkWebLink(url, 'Url', at(`data/relationships/outcomes/data/${index}/`));
  }
}
