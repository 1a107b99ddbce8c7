/** Every run status, grouped by stage. A run in `completion` is over. */
export const stages = {
  pending: ['pending', 'fetching', 'plan_queued', 'pre_plan_running', 'pre_plan_completed'],
  plan: ['planning', 'planned', 'planned_and_saved'],
  'policy check': ['post_plan_running', 'post_plan_awaiting_decision', 'post_plan_completed'],
  apply: ['confirmed', 'pre_apply_running', 'pre_apply_completed', 'apply_queued', 'applying'],
  completion: ['applied', 'planned_and_finished', 'discarded', 'errored', 'canceled'],
} as const;

export type RunStatus = (typeof stages)[keyof typeof stages][number];

export const runStatuses: readonly RunStatus[] = Object.values(stages).flat();

export const completedRunStatuses: readonly RunStatus[] = stages.completion;

export const runStatusesInProgress: readonly RunStatus[] = runStatuses.filter(
  (status) => !completedRunStatuses.includes(status),
);

/** Waiting for the workspace, in order of creation. A confirmed run that does not continue at once is a saved plan. */
export const waitingRunStatuses: readonly RunStatus[] = ['pending', 'confirmed'];

/** At most one run of a workspace, plan-only runs aside, is in one of these statuses at a time. */
export const runStatusesHoldingWorkspace: readonly RunStatus[] = runStatusesInProgress.filter(
  (status) => !waitingRunStatuses.includes(status) && status !== 'planned_and_saved',
);

/** Executed by an agent under a lease; `post_plan_running` without one while only run tasks are waited for. */
export const runStatusesUnderLease: readonly RunStatus[] = ['planning', 'post_plan_running', 'applying'];

/**
 * In the organization's queue: executing, or continuing without a decision. Other runs wait for a decision or are over.
 */
export const queuedRunStatuses: readonly RunStatus[] = [
  ...waitingRunStatuses,
  'fetching',
  'plan_queued',
  'apply_queued',
  'pre_plan_running',
  'pre_plan_completed',
  'pre_apply_running',
  'pre_apply_completed',
  ...runStatusesUnderLease,
];
