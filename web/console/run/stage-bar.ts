type Checks = 'pre_plan' | 'post_plan' | 'pre_apply' | 'post_apply';

interface Times {
  /** When it began and ended, as far as it has. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** A step of a run, with the section of its page that shows it. */
export type Step<PhaseStatus, CheckStatus> = Times &
  (
    | {
        readonly of: 'phase';
        readonly place: 'plan' | 'apply';
        readonly status: PhaseStatus;
        readonly section: 'plan' | 'apply';
      }
    | { readonly of: 'stage'; readonly place: Checks; readonly status: CheckStatus; readonly section: 'policies' }
    | {
        readonly of: 'confirmation';
        readonly place: 'confirmation';
        readonly status: 'needed' | 'given' | 'automatic' | 'discarded' | 'unreached';
        readonly section: 'decision' | 'timeline';
      }
  );

interface Run {
  readonly status: string;
  readonly 'plan-only': boolean;
  readonly 'auto-apply': boolean;
  readonly 'updated-at': string;
  readonly actions: { readonly 'is-confirmable': boolean };
  readonly 'status-timestamps': Readonly<Record<string, string | undefined>>;
}

interface Phase<Status> {
  readonly status: Status;
  readonly 'status-timestamps': Readonly<Record<string, string | undefined>>;
}

/** The attributes of what a run has; a phase that is not known yet is undefined. */
interface Parts<PhaseStatus, CheckStatus> {
  /** Whether the run has ended. */
  readonly isOver: boolean;
  readonly plan: Phase<PhaseStatus> | undefined;
  readonly apply: Phase<PhaseStatus> | undefined;
  readonly checks: readonly { readonly stage: Checks; readonly status: CheckStatus }[];
}

/** One that failed or was canceled has no end of its own. */
const timesOf = (run: Run, { status, 'status-timestamps': stamps }: Phase<unknown>): Times => ({
  from: stamps['started-at'],
  to: stamps['finished-at'] ?? (status === 'running' ? undefined : run['updated-at']),
});

/** The confirmation by a person; none for runs that need none, and for those that ended before it. */
function confirmationOf(run: Run, isOver: boolean) {
  const stamps = run['status-timestamps'];
  const step = { of: 'confirmation', place: 'confirmation', section: 'timeline' } as const;
  if (stamps['confirmed-at'] !== undefined) {
    return [{ ...step, status: run['auto-apply'] ? ('automatic' as const) : ('given' as const) }];
  }
  if (run.actions['is-confirmable']) {
    const from = stamps['post-plan-completed-at'] ?? stamps['planned-at'];
    return [{ ...step, section: 'decision', status: 'needed', from } as const];
  }
  if (run.status === 'discarded') return [{ ...step, status: 'discarded' } as const];
  return isOver ? [] : [{ ...step, status: 'unreached' } as const];
}

/** The steps of a run in their order, without those that it does not have. */
export function stepsOf<PhaseStatus, CheckStatus>(
  run: Run,
  { plan, apply, checks, isOver }: Parts<PhaseStatus, CheckStatus>,
): readonly Step<PhaseStatus, CheckStatus>[] {
  const phase = (place: 'plan' | 'apply', given: Phase<PhaseStatus> | undefined) =>
    given === undefined
      ? []
      : [{ of: 'phase', place, section: place, status: given.status, ...timesOf(run, given) } as const];
  const checked = (place: Checks) =>
    checks
      .filter(({ stage }) => stage === place)
      .map(({ status }) => ({ of: 'stage', place, status, section: 'policies' }) as const);
  const applies = !run['plan-only'] && run.status !== 'planned_and_finished';
  return [
    ...checked('pre_plan'),
    ...phase('plan', plan),
    ...checked('post_plan'),
    ...(applies ? [...confirmationOf(run, isOver), ...checked('pre_apply'), ...phase('apply', apply)] : []),
    ...checked('post_apply'),
  ];
}
