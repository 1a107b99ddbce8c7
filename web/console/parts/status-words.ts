export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'idle';

type Words = readonly [label: string, tone: Tone];

const run = {
  pending: ['Waiting for the workspace', 'idle'],
  fetching: ['Fetching the configuration', 'busy'],
  plan_queued: ['Plan waits for an agent', 'idle'],
  pre_plan_running: ['Tasks before the plan', 'busy'],
  pre_plan_completed: ['Tasks before the plan passed', 'idle'],
  planning: ['Planning', 'busy'],
  planned: ['Needs confirmation', 'warn'],
  planned_and_saved: ['Plan saved, needs confirmation', 'warn'],
  post_plan_running: ['Checking the plan', 'busy'],
  post_plan_awaiting_decision: ['Override needed', 'warn'],
  post_plan_completed: ['Needs confirmation', 'warn'],
  confirmed: ['Confirmed', 'idle'],
  pre_apply_running: ['Tasks before the apply', 'busy'],
  pre_apply_completed: ['Tasks before the apply passed', 'idle'],
  apply_queued: ['Apply waits for an agent', 'idle'],
  applying: ['Applying', 'busy'],
  applied: ['Applied', 'good'],
  planned_and_finished: ['Planned, nothing to apply', 'good'],
  discarded: ['Discarded', 'idle'],
  errored: ['Failed', 'bad'],
  canceled: ['Canceled', 'idle'],
} as const satisfies Readonly<Record<string, Words>>;

const checked = {
  pending: ['Waiting', 'idle'],
  running: ['Running', 'busy'],
  passed: ['Passed', 'good'],
  failed: ['Failed', 'bad'],
  errored: ['Could not be checked', 'bad'],
  canceled: ['Canceled', 'idle'],
} as const satisfies Readonly<Record<string, Words>>;

/** Every status of the API in words, by what has it. A test holds it against the lifecycles of the service. */
export const statusWords = {
  run,
  /** An event in the timeline of a run: a status that it reached, or another action. */
  event: {
    ...run,
    planned: ['Plan finished', 'idle'],
    planned_and_saved: ['Plan saved', 'idle'],
    post_plan_completed: ['Checks passed or overridden', 'idle'],
    created: ['Created', 'idle'],
    cancel_requested: ['Asked to stop', 'warn'],
    force_executed: ['Executed before its turn', 'warn'],
    commented: ['Comment', 'idle'],
  },
  /** A plan or an apply. */
  phase: {
    pending: ['Not started', 'idle'],
    queued: ['Waiting for an agent', 'idle'],
    running: ['Running', 'busy'],
    finished: ['Finished', 'good'],
    canceled: ['Canceled', 'idle'],
    errored: ['Failed', 'bad'],
    unreachable: ['Not reached', 'idle'],
  },
  stage: { ...checked, awaiting_override: ['Override needed', 'warn'] },
  confirmation: {
    needed: ['Needed', 'warn'],
    given: ['Given', 'good'],
    automatic: ['Automatic', 'good'],
    discarded: ['Discarded', 'idle'],
    unreached: ['Not reached', 'idle'],
  },
  evaluation: { ...checked, overridden: ['Overridden', 'warn'] },
  task: { ...checked, errored: ['No result', 'bad'], unreachable: ['Task did not answer', 'bad'] },
  outcome: { passed: checked.passed, failed: checked.failed, errored: checked.errored },
  trial: {
    queued: ['Waiting for an agent', 'idle'],
    running: ['Evaluating', 'busy'],
    finished: ['Finished', 'good'],
    canceled: checked.canceled,
    errored: ['Failed', 'bad'],
  },
  /** The result of a trial for a plan or a policy. */
  verdict: {
    passed: checked.passed,
    failed: checked.failed,
    errored: checked.errored,
    'not-comparable': ['Not comparable', 'idle'],
  },
  version: {
    pending: ['Waiting for the upload', 'idle'],
    fetching: ['Fetching', 'busy'],
    uploaded: ['Uploaded', 'good'],
    archived: ['Archived', 'idle'],
    errored: ['Failed', 'bad'],
    backing_data_soft_deleted: ['Files deleted, can be restored', 'idle'],
    backing_data_permanently_deleted: ['Files permanently deleted', 'idle'],
  },
  state: {
    pending: ['Waiting for the upload', 'idle'],
    finalized: ['Stored', 'good'],
    backing_data_permanently_deleted: ['Files permanently deleted', 'idle'],
  },
  membership: { active: ['Active', 'good'], invited: ['Invited', 'warn'] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Words>>>>;

export type Subject = keyof typeof statusWords;
export type StatusOf<S extends Subject> = keyof (typeof statusWords)[S];

type RunStatus = StatusOf<'run'>;

/** Groups of statuses that a person filters runs by. Each status is in one group. */
export const runGroups: readonly {
  readonly label: string;
  readonly isOver: boolean;
  readonly statuses: readonly RunStatus[];
}[] = [
  {
    label: 'Needs a decision',
    isOver: false,
    statuses: ['planned', 'planned_and_saved', 'post_plan_awaiting_decision', 'post_plan_completed'],
  },
  {
    label: 'In progress',
    isOver: false,
    statuses: [
      'pending',
      'fetching',
      'plan_queued',
      'pre_plan_running',
      'pre_plan_completed',
      'planning',
      'post_plan_running',
      'confirmed',
      'pre_apply_running',
      'pre_apply_completed',
      'apply_queued',
      'applying',
    ],
  },
  { label: 'Applied', isOver: true, statuses: ['applied'] },
  { label: 'Planned, nothing to apply', isOver: true, statuses: ['planned_and_finished'] },
  { label: 'Failed', isOver: true, statuses: ['errored'] },
  { label: 'Discarded or canceled', isOver: true, statuses: ['discarded', 'canceled'] },
];

/** The choices of a filter: the statuses of a group are its value. */
export const runGroupChoices = [
  { value: '', label: 'Any' },
  ...runGroups.map(({ label, statuses }) => ({ value: statuses.join(','), label })),
];

/** The statuses that the value of a filter names; others of an old or mistyped address are left out. */
export const runStatusesIn = (value = ''): RunStatus[] =>
  value.split(',').filter((status): status is RunStatus => Object.hasOwn(run, status));

/** Whether a run in this status has ended. */
export const hasEnded = (status: string): boolean =>
  runGroups.some(({ isOver, statuses }) => isOver && (statuses as readonly string[]).includes(status));

const awaited: Partial<Record<string, 'workspace' | 'agent'>> = {
  pending: 'workspace',
  confirmed: 'workspace',
  plan_queued: 'agent',
  apply_queued: 'agent',
};

/** The thing that a run in this status waits for, unless that is a decision. */
export const waitsFor = (status: RunStatus) => awaited[status];

/** Why runs cannot use a configuration version of this status, and what to do. */
export const unusableVersions: Partial<Record<string, string>> = {
  pending: 'The current configuration has no files yet. Upload them first.',
  fetching: 'The current configuration is being fetched. Wait until it is uploaded.',
  errored: 'The current configuration failed. Upload another one.',
};
