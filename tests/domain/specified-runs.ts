import type {
  Run,
  RunEffect,
  RunFactsGathered,
  RunGuardFacts,
  RunState,
  RunStatus,
  RunTrigger,
  runStatuses,
} from '../../src/domain/index.js';

/**
 * The specified life of a run, written a second time by hand. It shares nothing with the table the domain reads
 * and is organized by status, while the table is organized by trigger.
 */
export const ways: Readonly<Record<RunStatus, Readonly<Partial<Record<RunTrigger, RunStatus>>>>> = {
  pending: {
    'fetch-files': 'fetching',
    'queue-plan': 'plan_queued',
    'force-execute': 'pending',
    discard: 'discarded',
    cancel: 'canceled',
  },
  fetching: { 'finish-fetch': 'plan_queued', cancel: 'canceled', fail: 'errored' },
  plan_queued: { 'start-pre-plan': 'pre_plan_running', 'start-plan': 'planning', cancel: 'canceled' },
  pre_plan_running: { 'pass-pre-plan': 'pre_plan_completed', 'fail-pre-plan': 'errored', cancel: 'canceled' },
  pre_plan_completed: { 'requeue-plan': 'plan_queued', cancel: 'canceled' },
  planning: { 'finish-plan': 'planned', 'lose-plan': 'plan_queued', cancel: 'canceled', fail: 'errored' },
  planned: {
    'start-policy-check': 'post_plan_running',
    'finish-without-apply': 'planned_and_finished',
    'save-plan': 'planned_and_saved',
    'confirm-by-itself': 'confirmed',
    confirm: 'confirmed',
    discard: 'discarded',
  },
  planned_and_saved: { confirm: 'confirmed', discard: 'discarded' },
  post_plan_running: {
    'pass-policy-check': 'post_plan_completed',
    'await-override': 'post_plan_awaiting_decision',
    'fail-policy-check': 'errored',
    'release-agent': 'post_plan_running',
    'lose-plan': 'plan_queued',
    cancel: 'canceled',
    fail: 'errored',
  },
  post_plan_awaiting_decision: { 'override-policies': 'post_plan_completed', discard: 'discarded' },
  post_plan_completed: {
    'finish-without-apply': 'planned_and_finished',
    'save-plan': 'planned_and_saved',
    'confirm-by-itself': 'confirmed',
    confirm: 'confirmed',
    discard: 'discarded',
  },
  confirmed: { 'start-pre-apply': 'pre_apply_running', 'queue-apply': 'apply_queued', cancel: 'canceled' },
  pre_apply_running: { 'pass-pre-apply': 'pre_apply_completed', 'fail-pre-apply': 'errored', cancel: 'canceled' },
  pre_apply_completed: { 'queue-apply': 'apply_queued', cancel: 'canceled' },
  apply_queued: { 'start-apply': 'applying', cancel: 'canceled' },
  applying: {
    'finish-apply': 'applied',
    'request-cancel': 'applying',
    'finish-cancel': 'canceled',
    'force-cancel': 'canceled',
    fail: 'errored',
  },
  applied: {},
  planned_and_finished: {},
  discarded: {},
  errored: {},
  canceled: {},
};

/** A condition, and the sentence reported when it is broken. */
type Condition = readonly [broken: (facts: RunGuardFacts) => boolean, sentence: string];

const available: Condition = [({ workspaceAvailable }) => !workspaceAvailable, 'its workspace is not available'];
const checkedFirst: Condition = [
  ({ status, policyCheck }) => status === 'planned' && policyCheck !== 'none',
  'its policies have not been evaluated',
];

const conditions: Readonly<Partial<Record<RunTrigger, readonly Condition[]>>> = {
  'fetch-files': [available, [({ filesMissing }) => !filesMissing, 'its files are available']],
  'queue-plan': [available, [({ filesMissing }) => filesMissing, 'its files must be fetched first']],
  'start-pre-plan': [[({ prePlan }) => prePlan !== 'waiting', 'no run tasks precede its plan']],
  'pass-pre-plan': [[({ prePlan }) => prePlan !== 'passed', 'its run tasks have not passed']],
  'fail-pre-plan': [[({ prePlan }) => prePlan !== 'failed', 'its run tasks have not failed']],
  'release-agent': [
    [({ evaluationsOpen }) => evaluationsOpen, 'its policies have not been evaluated'],
    [({ lease }) => lease === null, 'no agent executes it'],
  ],
  'start-pre-apply': [available, [({ preApply }) => preApply !== 'waiting', 'no run tasks precede its apply']],
  'pass-pre-apply': [[({ preApply }) => preApply !== 'passed', 'its run tasks have not passed']],
  'fail-pre-apply': [[({ preApply }) => preApply !== 'failed', 'its run tasks have not failed']],
  'start-policy-check': [[({ policyCheck }) => policyCheck === 'none', 'no policies apply to it']],
  'pass-policy-check': [[({ policyCheck }) => policyCheck !== 'passed', 'its policies have not passed']],
  'await-override': [
    [({ policyCheck }) => policyCheck !== 'overridable', 'it has no failed policies that can be overridden'],
  ],
  'fail-policy-check': [
    [({ policyCheck }) => policyCheck !== 'failed', 'its policies have not failed, or can be overridden'],
  ],
  'finish-without-apply': [
    checkedFirst,
    [
      (facts) => {
        if (facts.planOnly) return false;
        return facts.hasChanges || facts.options.allowEmptyApply;
      },
      'there is something to apply',
    ],
  ],
  'save-plan': [checkedFirst, [({ savePlan }) => !savePlan, 'it was not created to save its plan']],
  'confirm-by-itself': [
    checkedFirst,
    [({ autoApply, creatorMayApply }) => !autoApply || !creatorMayApply, 'it requires confirmation'],
  ],
  'queue-apply': [available, [({ preApply }) => preApply === 'waiting', 'run tasks precede its apply']],
  'request-cancel': [[({ cancelRequested }) => cancelRequested, 'it is already being canceled']],
  'finish-cancel': [[({ cancelRequested }) => !cancelRequested, 'cancellation was not requested']],
  'force-cancel': [
    [({ cancelRequested }) => !cancelRequested, 'cancellation was not requested'],
    [({ cancelOverdue }) => !cancelOverdue, 'its agent still has time to stop, until `force-cancel-available-at`'],
  ],
  'force-execute': [[({ workspaceHeld }) => !workspaceHeld, 'no other run holds its workspace']],
};

/** The automatic triggers, in order of precedence. */
export const byThemselves: readonly RunTrigger[] = [
  'fetch-files',
  'queue-plan',
  'start-pre-plan',
  'pass-pre-plan',
  'fail-pre-plan',
  'requeue-plan',
  'start-policy-check',
  'pass-policy-check',
  'await-override',
  'fail-policy-check',
  'release-agent',
  'finish-without-apply',
  'save-plan',
  'confirm-by-itself',
  'start-pre-apply',
  'pass-pre-apply',
  'fail-pre-apply',
  'queue-apply',
];

const called: Readonly<Record<RunTrigger, string>> = {
  'fetch-files': 'prepared',
  'queue-plan': 'queued',
  'finish-fetch': 'queued',
  'start-pre-plan': 'checked',
  'pass-pre-plan': 'checked',
  'fail-pre-plan': 'checked',
  'requeue-plan': 'queued',
  'start-plan': 'planned',
  'lose-plan': 'queued again',
  'finish-plan': 'planned',
  'start-policy-check': 'checked',
  'pass-policy-check': 'checked',
  'await-override': 'checked',
  'fail-policy-check': 'checked',
  'release-agent': 'released',
  'override-policies': 'overridden',
  'finish-without-apply': 'finished',
  'save-plan': 'saved',
  'confirm-by-itself': 'applied',
  confirm: 'applied',
  'start-pre-apply': 'checked',
  'pass-pre-apply': 'checked',
  'fail-pre-apply': 'checked',
  'queue-apply': 'applied',
  'start-apply': 'applied',
  'finish-apply': 'applied',
  discard: 'discarded',
  cancel: 'canceled',
  'request-cancel': 'canceled',
  'finish-cancel': 'canceled',
  'force-cancel': 'canceled by force',
  'force-execute': 'executed by force',
  fail: 'marked errored',
};

export const runTriggers = Object.keys(called) as readonly RunTrigger[];

export const ended: readonly RunStatus[] = ['applied', 'planned_and_finished', 'discarded', 'errored', 'canceled'];
export const underLease: readonly RunStatus[] = ['planning', 'post_plan_running', 'applying'];

/** The effects ordered by a change of status. */
function effectsOf(trigger: RunTrigger, to: RunStatus): readonly RunEffect[] {
  const own: Partial<Record<RunTrigger, readonly RunEffect[]>> = {
    'fetch-files': ['fetch-files'],
    'lose-plan': ['drop-reports', 'reset-policy-check'],
    'start-policy-check': ['start-policy-check'],
    'start-pre-plan': ['start-pre-plan'],
    'release-agent': ['release-agent'],
    'start-pre-apply': ['start-pre-apply'],
    'save-plan': ['release-workspace'],
    'finish-apply': ['promote-version', 'drop-pending-state', 'start-post-apply', 'follow-run-triggers'],
    'finish-cancel': ['drop-pending-state'],
    'force-cancel': ['drop-pending-state'],
    fail: ['drop-pending-state'],
  };
  const atTheEnd: readonly RunEffect[] = [
    // The stage after the apply begins with the end of the run.
    ...(trigger === 'finish-apply' ? [] : ['close-task-stages' as const]),
    'discard-files',
    'discard-plan-file',
    'archive-version',
    'release-workspace',
  ];
  return [...(own[trigger] ?? []), ...(ended.includes(to) ? atTheEnd : [])];
}

export type RunChange = Parameters<Run['fire']>[3];

/** The expected result of a trigger: this state with these effects, or this refusal. */
export type RunOutcome =
  | { readonly moves: RunState; readonly effects: readonly RunEffect[] }
  | { readonly refuses: { readonly code: string; readonly message: string; readonly trigger: string } };

function objection(state: RunState, trigger: RunTrigger, gathered: RunFactsGathered): string | undefined {
  if (ways[state.status][trigger] === undefined) return `its status is ${state.status}`;
  return (conditions[trigger] ?? []).find(([broken]) => broken({ ...state, ...gathered }))?.[1];
}

/** The automatic triggers that apply; the first of them fires. */
export const fitting = (state: RunState, gathered: RunFactsGathered): readonly RunTrigger[] =>
  byThemselves.filter((trigger) => objection(state, trigger, gathered) === undefined);

export const stoppedByPolicies = 'policies that cannot be overridden failed or could not be evaluated';

const stoppedBy: Readonly<Partial<Record<RunTrigger, string>>> = {
  'fail-policy-check': stoppedByPolicies,
  'fail-pre-plan': 'a mandatory run task before the plan did not pass',
  'fail-pre-apply': 'a mandatory run task before the apply did not pass',
};

/** A lost agent's report is discarded. */
function unplanned(state: RunState): RunState {
  const forgotten = ['planning-at', 'planned-at', 'post-plan-running-at'];
  const kept = Object.entries(state.statusTimestamps).filter(([stamp]) => !forgotten.includes(stamp));
  return { ...state, hasChanges: false, planned: null, statusTimestamps: Object.fromEntries(kept) };
}

function moved(
  before: RunState,
  first: RunTrigger,
  gathered: RunFactsGathered,
  now: string,
  change: RunChange = {},
): RunOutcome {
  let state: RunState = { ...before, ...change, revision: before.revision + 1 };
  const effects: RunEffect[] = [];
  for (let trigger: RunTrigger | undefined = first; trigger !== undefined; [trigger] = fitting(state, gathered)) {
    const status: RunStatus = ways[state.status][trigger] ?? state.status;
    const entered = status === state.status ? {} : { [`${status.replaceAll('_', '-')}-at`]: now };
    const known = trigger === 'lose-plan' ? unplanned(state) : state;
    // No agent reports why policies or run tasks stop a run.
    const failure = stoppedBy[trigger] ?? known.failure;
    const lease = trigger === 'release-agent' ? null : known.lease;
    state = { ...known, status, failure, lease, statusTimestamps: { ...known.statusTimestamps, ...entered } };
    effects.push(...effectsOf(trigger, status));
  }
  const lease = underLease.includes(state.status) ? state.lease : null;
  const ownFiles = ended.includes(state.status) ? null : state.ownFiles;
  return { moves: { ...state, lease, ownFiles }, effects };
}

export function promisedRun(
  state: RunState,
  trigger: RunTrigger,
  gathered: RunFactsGathered,
  now: string,
  change: RunChange = {},
): RunOutcome {
  const reason = objection(state, trigger, gathered);
  if (reason === undefined) return moved(state, trigger, gathered, now, change);
  const message = `run could not be ${called[trigger]} because ${reason}`;
  const code = trigger === 'force-execute' ? 'run/not-blocked' : 'run/transition-refused';
  return { refuses: { code, message, trigger } };
}

/** Undefined for a status without automatic steps. */
export function promisedRest(state: RunState, gathered: RunFactsGathered, now: string): RunOutcome | undefined {
  const [trigger] = fitting(state, gathered);
  return trigger && moved(state, trigger, gathered, now);
}

export function actualRun(
  run: Run,
  trigger: RunTrigger,
  gathered: RunFactsGathered,
  now: string,
  change: RunChange = {},
): RunOutcome | { readonly throws: unknown } {
  try {
    const { next, effects } = run.fire(trigger, gathered, now, change);
    return { moves: next.state, effects };
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !('details' in error)) return { throws: error };
    const { code, message, details } = error as Error & { code: string; details: { trigger: string } };
    return { refuses: { code, message, trigger: details.trigger } };
  }
}

export function actualRest(run: Run, gathered: RunFactsGathered, now: string): RunOutcome | undefined {
  const fired = run.settle(gathered, now);
  return fired && { moves: fired.next.state, effects: fired.effects };
}

const either = [false, true];
const policyChecks = ['none', 'open', 'passed', 'overridable', 'failed'] as const;

const withoutTasks = { prePlan: 'none', preApply: 'none', evaluationsOpen: true } as const;
const stageChecks = ['none', 'waiting', 'open', 'passed', 'failed'] as const;

/** Every combination of the facts about policies and files, without run tasks. */
const aboutPolicies: readonly RunFactsGathered[] = policyChecks.flatMap((policyCheck) =>
  either.flatMap((workspaceAvailable) =>
    either.flatMap((filesMissing) =>
      either.flatMap((creatorMayApply) =>
        either.flatMap((workspaceHeld) =>
          either.map((cancelOverdue) => ({
            ...withoutTasks,
            policyCheck,
            workspaceAvailable,
            workspaceHeld,
            filesMissing,
            creatorMayApply,
            cancelOverdue,
          })),
        ),
      ),
    ),
  ),
);

/** Every combination of the facts about run tasks, with those that matter to them. */
const aboutTasks: readonly RunFactsGathered[] = stageChecks.flatMap((prePlan) =>
  stageChecks.flatMap((preApply) =>
    either.flatMap((evaluationsOpen) =>
      either.flatMap((workspaceAvailable) =>
        (['none', 'open'] as const).map((policyCheck) => ({
          prePlan,
          policyCheck,
          preApply,
          evaluationsOpen,
          workspaceAvailable,
          workspaceHeld: false,
          filesMissing: false,
          creatorMayApply: true,
          cancelOverdue: false,
        })),
      ),
    ),
  ),
);

/** Facts about run tasks with ones about policies and files that do not matter then. */
const aboutBoth: readonly RunFactsGathered[] = (
  [
    { prePlan: 'failed', filesMissing: true },
    { evaluationsOpen: false, policyCheck: 'open', filesMissing: true },
    ...(['waiting', 'passed', 'failed'] as const).map((preApply) => ({ preApply, filesMissing: true })),
    { preApply: 'waiting', workspaceHeld: true },
    { preApply: 'waiting', cancelOverdue: true },
    { preApply: 'waiting', policyCheck: 'passed' },
    { preApply: 'waiting', policyCheck: 'overridable' },
    { preApply: 'waiting', policyCheck: 'failed' },
  ] as const
).map((facts) => ({ ...(aboutTasks[0] as RunFactsGathered), evaluationsOpen: true, ...facts }));

/** The facts that guards read besides the status. */
export const everyGathered: readonly RunFactsGathered[] = [...aboutPolicies, ...aboutTasks, ...aboutBoth];

export const everyKindOfRun: readonly (Pick<
  RunState,
  'planOnly' | 'savePlan' | 'autoApply' | 'hasChanges' | 'cancelRequested'
> & { readonly allowEmptyApply: boolean })[] = either.flatMap((planOnly) =>
  either.flatMap((savePlan) =>
    either.flatMap((autoApply) =>
      either.flatMap((hasChanges) =>
        either.flatMap((cancelRequested) =>
          either.map((allowEmptyApply) => ({
            planOnly,
            savePlan,
            autoApply,
            hasChanges,
            cancelRequested,
            allowEmptyApply,
          })),
        ),
      ),
    ),
  ),
);

export const runStatusesPromised = Object.keys(ways) as readonly (typeof runStatuses)[number][];
