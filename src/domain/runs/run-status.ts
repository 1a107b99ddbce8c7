/** Every status of a run, grouped into the stages it passes through. A run in `completion` is over. */
export const stages = {
  pending: ['pending', 'fetching', 'queuing', 'plan_queued'],
  plan: ['planning', 'planned', 'cost_estimating', 'cost_estimated'],
  'policy check': ['post_plan_running', 'post_plan_awaiting_decision', 'post_plan_completed'],
  apply: ['planned_and_saved', 'confirmed', 'apply_queued', 'applying'],
  completion: ['applied', 'planned_and_finished', 'discarded', 'errored', 'canceled', 'force_canceled'],
} as const;

export type RunStatus = (typeof stages)[keyof typeof stages][number];

export const completedRunStatuses: readonly RunStatus[] = stages.completion;
