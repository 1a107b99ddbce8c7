import type { Instant } from '../../shared/id.js';
import type { Phase, RunState } from './run.js';
import { completedRunStatuses, type RunStatus } from './run-status.js';

/** A phase that its run ended without is `unreachable`, or `canceled` with it. */
export const phaseStatuses = [
  'pending',
  'queued',
  'running',
  'finished',
  'canceled',
  'errored',
  'unreachable',
] as const;

export type PhaseStatus = (typeof phaseStatuses)[number];

/** The run's statuses during each phase, and the instants at which it passes through. */
const passed = {
  plan: { queued: 'plan_queued', running: 'planning', at: ['plan-queued-at', 'planning-at', 'planned-at'] },
  apply: { queued: 'apply_queued', running: 'applying', at: ['apply-queued-at', 'applying-at', 'applied-at'] },
} as const satisfies Record<Phase, { queued: RunStatus; running: RunStatus; at: readonly string[] }>;

/** When a phase was queued, began and finished; undefined for what has not happened. */
export function phaseInstants({ statusTimestamps }: RunState, phase: Phase): readonly (Instant | undefined)[] {
  return passed[phase].at.map((stamp) => statusTimestamps[stamp]);
}

/** A phase has no status of its own: it follows from the run's, and from when the run reached others. */
export function phaseStatusOf(run: RunState, phase: Phase): PhaseStatus {
  const { status } = run;
  const { queued, running } = passed[phase];
  const [, begun, finished] = phaseInstants(run, phase);
  if (finished !== undefined) return 'finished';
  if (status === queued) return 'queued';
  if (status === running) return 'running';
  if (!completedRunStatuses.includes(status)) return 'pending';
  if (status === 'canceled') return 'canceled';
  return begun === undefined ? 'unreachable' : 'errored';
}
