import { useMaybeRead } from '../api/reading.ts';

/** The names of the stages at which a run is checked. */
export const stageNames = {
  pre_plan: 'Before the plan',
  post_plan: 'After the plan',
  pre_apply: 'Before the apply',
  post_apply: 'After the apply',
} as const;

/** A stage with the results of its run tasks and its policy evaluations. */
export const useStage = (id: string) =>
  useMaybeRead('/task-stages/{id}', { path: { id }, query: { include: ['task_results', 'policy_evaluations'] } });
