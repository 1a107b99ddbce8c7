/** In the order in which a run passes them. */
export const taskStageNames = ['pre_plan', 'post_plan', 'pre_apply', 'post_apply'] as const;

export type TaskStageName = (typeof taskStageNames)[number];

/** Sorts things of a run by the stage they belong to. */
export const inRunOrder = <Of extends { readonly stage: TaskStageName }>(all: readonly Of[]): Of[] =>
  all.toSorted((a, b) => taskStageNames.indexOf(a.stage) - taskStageNames.indexOf(b.stage));
