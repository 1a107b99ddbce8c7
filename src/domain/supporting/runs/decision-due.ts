import type { Action } from '../../authorization/policy.js';
import { type RunTrigger, runLifecycle } from './run-lifecycle.js';
import type { RunStatus } from './run-status.js';

/** The decisions of people for which runs wait. */
export const dueDecisions = ['confirm', 'override'] as const;

export type DueDecision = (typeof dueDecisions)[number];

const statusesBefore = (trigger: RunTrigger): readonly RunStatus[] =>
  runLifecycle.flatMap((row) => (row.trigger === trigger ? row.from : []));

interface Due {
  /** The right to decide. */
  readonly action: Action;
  /** The statuses in which a run waits for it. */
  readonly statuses: readonly RunStatus[];
}

export const decisionsDue = {
  confirm: { action: 'runs/apply', statuses: statusesBefore('confirm') },
  override: { action: 'policy-outcomes/override', statuses: statusesBefore('override-policies') },
} as const satisfies Readonly<Record<DueDecision, Due>>;
