import { describe, expect, it } from '@jest/globals';
import {
  completedRunStatuses,
  operationOf,
  phaseInstants,
  phaseStatusOf,
  Run,
  type RunFactsGathered,
  type RunState,
  type RunStatus,
  runGuards,
  runLifecycle,
  runStatuses,
  runStatusesDiscardable,
  runStatusesHoldingWorkspace,
  runStatusesInProgress,
  runStatusesUnderLease,
  waitingRunStatuses,
} from '../../src/domain/index.js';
import { forceCancelAvailableAt, isForceCancelable } from '../../src/domain/supporting/runs/run.js';
import { some } from '../support/properties.js';
import { aLease, aNewRun, aRun, later, muchLater, noon, waiting } from './samples.js';
import {
  actualRest,
  actualRun,
  byThemselves,
  ended,
  everyGathered,
  everyKindOfRun,
  fitting,
  promisedRest,
  promisedRun,
  runStatusesPromised,
  runTriggers,
  stoppedByPolicies,
  underLease,
  ways,
} from './specified-runs.js';

const ready: RunFactsGathered = { ...waiting, workspaceAvailable: true };

const runIn = (status: RunStatus, { allowEmptyApply, ...kind }: (typeof everyKindOfRun)[number]): Run =>
  aRun({ status, ...kind, options: { ...aNewRun().state.options, allowEmptyApply } });

/** Every kind of run, with all facts. */
const everyCase = some(
  everyKindOfRun.flatMap((kind) => everyGathered.map((gathered) => ({ kind, gathered }))),
  13,
);

/** Differences from the specified result; one pass for speed. */
const differences = (status: RunStatus, compare: (run: Run, gathered: RunFactsGathered) => readonly unknown[]) =>
  everyCase
    .flatMap(({ kind, gathered }) => {
      const [actual, promised] = compare(runIn(status, kind), gathered);
      return JSON.stringify(actual) === JSON.stringify(promised) ? [] : [{ kind, gathered, actual, promised }];
    })
    .slice(0, 1);

describe('the lifecycle of a run', () => {
  it('knows the promised statuses and triggers, and no other', () => {
    expect([...runStatuses].sort()).toEqual([...runStatusesPromised].sort());
    expect(runLifecycle.map((row) => row.trigger).sort()).toEqual([...runTriggers].sort());
  });

  it('leads from each status by the promised triggers to the promised statuses', () => {
    const told = Object.fromEntries(
      runStatuses.map((status) => {
        const rows = runLifecycle.filter(({ from }) => (from as readonly RunStatus[]).includes(status));
        return [status, Object.fromEntries(rows.map(({ trigger, to }) => [trigger, to]))];
      }),
    );
    expect(told).toEqual(ways);
  });

  it('takes the specified automatic steps, and the first of them in the specified order', () => {
    expect(runLifecycle.flatMap((row) => (row.automatic ? [row.trigger] : []))).toEqual(byThemselves);
  });

  it('asks every condition somewhere', () => {
    const asked = new Set(runLifecycle.flatMap(({ guards }) => guards as readonly string[]));
    expect([...asked].sort()).toEqual(Object.keys(runGuards).sort());
  });

  it('reaches every status from the first', () => {
    const reached = new Set<RunStatus>(['pending']);
    for (const status of reached) for (const to of Object.values(ways[status])) reached.add(to);
    expect([...reached].sort()).toEqual([...runStatuses].sort());
  });

  it('has no way out of a completed status', () => {
    expect(runStatuses.filter((status) => Object.keys(ways[status]).length === 0)).toEqual(completedRunStatuses);
    expect([...completedRunStatuses].sort()).toEqual([...ended].sort());
  });

  it('has a way to an end from everywhere else, by the hand of a person', () => {
    for (const status of runStatusesInProgress) {
      const run = aRun({ status });
      const ending = (['discard', run.cancelTrigger] as const).filter((trigger) => run.allows(trigger));
      expect([status, ending.length > 0]).toEqual([status, true]);
    }
  });

  describe.each(runStatuses)('from %s', (status) => {
    it('every promised trigger moves or refuses as promised, whatever the facts', () => {
      for (const trigger of runTriggers.filter((known) => ways[status][known] !== undefined)) {
        const compare = (run: Run, gathered: RunFactsGathered) => [
          actualRun(run, trigger, gathered, later),
          promisedRun(run.state, trigger, gathered, later),
        ];
        expect({ trigger, differences: differences(status, compare) }).toEqual({ trigger, differences: [] });
      }
    });

    it('every other trigger is refused, naming the status', () => {
      for (const trigger of runTriggers.filter((known) => ways[status][known] === undefined)) {
        for (const gathered of [waiting, ready]) {
          const actual = actualRun(aRun({ status }), trigger, gathered, later);
          expect(actual).toEqual(promisedRun(aRun({ status }).state, trigger, gathered, later));
          expect(actual).toMatchObject({ refuses: { message: expect.stringMatching(`its status is ${status}$`) } });
        }
      }
    });

    it('takes the specified automatic step, whatever the facts', () => {
      const compare = (run: Run, gathered: RunFactsGathered) => [
        actualRest(run, gathered, later),
        promisedRest(run.state, gathered, later),
      ];
      expect(differences(status, compare)).toEqual([]);
    });

    it('has at most one automatic step, except at the end of a plan', () => {
      const several = new Set<string>();
      for (const { kind, gathered } of everyCase) {
        const fit = fitting(runIn(status, kind).state, gathered);
        if (fit.length > 1) several.add(fit.join(' before '));
      }
      const atTheEndOfAPlan = [
        'finish-without-apply before confirm-by-itself',
        'finish-without-apply before save-plan',
        'finish-without-apply before save-plan before confirm-by-itself',
        'save-plan before confirm-by-itself',
      ];
      const rests = status === 'planned' || status === 'post_plan_completed';
      expect([...several].sort()).toEqual(rests ? atTheEndOfAPlan : []);
    });
  });
});

describe('the groups of statuses', () => {
  it('list which are in progress, wait, hold the workspace, and are under a lease', () => {
    expect([...runStatusesInProgress, ...completedRunStatuses].sort()).toEqual([...runStatuses].sort());
    expect(waitingRunStatuses).toEqual(['pending', 'confirmed']);
    expect([...runStatusesUnderLease].sort()).toEqual([...underLease].sort());
    expect([...runStatusesHoldingWorkspace].sort()).toEqual([
      'apply_queued',
      'applying',
      'fetching',
      'plan_queued',
      'planned',
      'planning',
      'post_plan_awaiting_decision',
      'post_plan_completed',
      'post_plan_running',
      'pre_apply_completed',
      'pre_apply_running',
      'pre_plan_completed',
      'pre_plan_running',
    ]);
  });

  it('decide what a run says of itself', () => {
    for (const status of runStatuses) {
      expect(aRun({ status }).over).toBe(ended.includes(status));
      expect(aRun({ status }).holdsWorkspace).toBe(runStatusesHoldingWorkspace.includes(status));
      expect(aRun({ status, planOnly: true }).holdsWorkspace).toBe(false);
      expect(aRun({ status }).cancelTrigger).toBe(status === 'applying' ? 'request-cancel' : 'cancel');
      for (const trigger of runTriggers) {
        expect(aRun({ status }).allows(trigger)).toBe(ways[status][trigger] !== undefined);
      }
    }
  });
});

describe('a run', () => {
  it('starts pending, with nothing known of it yet', () => {
    const { state } = aNewRun();
    expect(state).toMatchObject({
      status: 'pending',
      hasChanges: false,
      cancelRequested: false,
      planned: null,
      applied: null,
      failure: null,
      ownFiles: null,
      lease: null,
      revision: 0,
    });
    expect(state.statusTimestamps).toEqual({ 'plan-queueable-at': noon });
  });

  it('comes back from a repository as it was stored', () => {
    const state: RunState = { ...aNewRun().state, status: 'applied', lease: aLease, revision: 9 };
    expect(Run.restore(state).state).toEqual(state);
    expect(Object.isFrozen(state)).toBe(false);
  });

  it('cannot be changed but by firing', () => {
    expect(() => Object.assign(aNewRun().state, { status: 'applied' })).toThrow(TypeError);
  });

  it('goes from its plan to its apply without a stop where all is agreed, under one revision', () => {
    const run = aRun({ status: 'planning', autoApply: true });
    const { next, effects } = run.fire('finish-plan', { ...ready, creatorMayApply: true }, later, { hasChanges: true });
    expect(next.state).toMatchObject({ status: 'apply_queued', lease: null, revision: 4 });
    expect(next.state.statusTimestamps).toEqual({
      'plan-queueable-at': noon,
      'planned-at': later,
      'confirmed-at': later,
      'apply-queued-at': later,
    });
    expect(effects).toEqual([]);
  });

  it('without changes finishes, unless an empty apply is allowed', () => {
    const finished = aRun({ status: 'planning' }).fire('finish-plan', ready, later, { hasChanges: false });
    expect(finished.next.state.status).toBe('planned_and_finished');
    expect(finished.effects).toEqual([
      'close-task-stages',
      'discard-files',
      'discard-plan-file',
      'archive-version',
      'release-workspace',
    ]);
    const { options } = aNewRun({ options: { allowEmptyApply: true } }).state;
    const rests = aRun({ status: 'planning', options }).fire('finish-plan', ready, later, { hasChanges: false });
    expect(rests.next.state.status).toBe('planned');
  });

  it('that only plans finishes with its changes, after its policies', () => {
    const run = aRun({ status: 'planning', planOnly: true, autoApply: true });
    const change = { hasChanges: true };
    const free = { ...ready, creatorMayApply: true };
    expect(run.fire('finish-plan', free, later, change).next.state.status).toBe('planned_and_finished');
    const checked = run.fire('finish-plan', { ...free, policyCheck: 'open' }, later, change).next;
    expect(checked.state.status).toBe('post_plan_running');
    const passed = checked.settle({ ...free, policyCheck: 'passed' }, later);
    expect(passed?.next.state.status).toBe('planned_and_finished');
  });

  it('is checked by its policies under the lease of its plan', () => {
    const planning = aRun({ status: 'planning' });
    const checked = planning.fire('finish-plan', { ...ready, policyCheck: 'open' }, later, { hasChanges: true });
    expect(checked.effects).toEqual(['start-policy-check']);
    expect(checked.next.state).toMatchObject({ status: 'post_plan_running', lease: aLease });
    const judged = (policyCheck: RunFactsGathered['policyCheck']) =>
      checked.next.settle({ ...ready, policyCheck }, later)?.next.state;
    expect(judged('open')).toBeUndefined();
    expect(judged('passed')).toMatchObject({ status: 'post_plan_completed', lease: null });
    expect(judged('overridable')).toMatchObject({ status: 'post_plan_awaiting_decision', lease: null });
    expect(judged('failed')).toMatchObject({ status: 'errored', failure: stoppedByPolicies, lease: null });
  });

  it('whose agent is lost is planned again from the beginning, and its policies checked again', () => {
    for (const status of ['planning', 'post_plan_running'] as const) {
      const { next, effects } = aRun({ status }).fire('lose-plan', { ...ready, policyCheck: 'open' }, later);
      expect(next.state).toMatchObject({ status: 'plan_queued', lease: null });
      expect(effects).toEqual(['drop-reports', 'reset-policy-check']);
    }
    expect(aRun({ status: 'applying' }).allows('lose-plan')).toBe(false);
  });

  it('whose agent is lost forgets what that one reported, and keeps the rest', () => {
    const run = aRun({
      status: 'post_plan_running',
      hasChanges: true,
      planned: { additions: 1, changes: 0, destructions: 0, imports: 0 },
      ownFiles: { key: 'bundle-1', bytes: 3 },
      statusTimestamps: {
        'plan-queueable-at': noon,
        'fetching-at': noon,
        'plan-queued-at': noon,
        'planning-at': noon,
        'planned-at': noon,
        'post-plan-running-at': noon,
      },
    });
    const { state } = run.fire('lose-plan', { ...ready, policyCheck: 'open' }, later).next;
    expect(state).toMatchObject({ hasChanges: false, planned: null, ownFiles: { key: 'bundle-1', bytes: 3 } });
    expect(state.statusTimestamps).toEqual({
      'plan-queueable-at': noon,
      'fetching-at': noon,
      'plan-queued-at': later,
    });
  });

  it.each<[string, RunStatus, Record<string, string>, string | undefined, string | undefined]>([
    ['planning', 'planning', { planning: noon }, undefined, undefined],
    ['planned', 'planned', { planned: noon }, noon, undefined],
    ['checked', 'post_plan_running', { planned: noon, 'post-plan-running': noon }, undefined, undefined],
    [
      'awaiting an override',
      'post_plan_awaiting_decision',
      { planned: noon, 'post-plan-running': noon, 'post-plan-awaiting-decision': later },
      later,
      undefined,
    ],
    [
      'applied after an override',
      'applied',
      {
        planned: noon,
        'post-plan-running': noon,
        'post-plan-awaiting-decision': noon,
        'post-plan-completed': later,
        applied: muchLater,
      },
      noon,
      muchLater,
    ],
    [
      'applied after its check',
      'applied',
      { planned: noon, 'post-plan-running': noon, 'post-plan-completed': later, applied: muchLater },
      later,
      muchLater,
    ],
    ['confirmed long after its plan', 'applying', { planned: noon, confirmed: later }, noon, undefined],
    ['canceled in its plan', 'canceled', { planning: noon, canceled: later }, later, later],
    ['errored in its check', 'errored', { planned: noon, 'post-plan-running': noon, errored: later }, later, later],
    ['of an older release, over without a stamp', 'applied', {}, noon, noon],
  ])('that is %s knows since when its logs are whole', (_, status, stamps, plan, apply) => {
    const statusTimestamps = Object.fromEntries(Object.entries(stamps).map(([name, at]) => [`${name}-at`, at]));
    const run = aRun({ status, statusTimestamps });
    expect([run.finishedAt('plan'), run.finishedAt('apply')]).toEqual([plan, apply]);
  });

  it('whose policies an agent evaluates has an open log, and one that only waits for tasks has not', () => {
    const statusTimestamps = { 'planned-at': noon, 'post-plan-running-at': noon };
    const finished = [aLease, null].map((lease) =>
      aRun({ status: 'post_plan_running', statusTimestamps, lease }).hasFinished('plan'),
    );
    expect(finished).toEqual([false, true]);
  });

  it('that is over refers to no files of its own any more', () => {
    expect(
      aRun({ status: 'applying', ownFiles: { key: 'bundle-1', bytes: 3 } }).fire('fail', ready, later).next.state
        .ownFiles,
    ).toBeNull();
    expect(
      aRun({ status: 'plan_queued', ownFiles: { key: 'bundle-1', bytes: 3 } }).fire('start-plan', ready, later).next
        .state.ownFiles,
    ).toEqual({ key: 'bundle-1', bytes: 3 });
  });

  it('that is applying is asked to cancel, once, and canceled by the agent that applies it', () => {
    const applying = aRun({ status: 'applying', statusTimestamps: { 'applying-at': noon } });
    expect(() => applying.fire('finish-cancel', ready, later)).toThrow(
      'run could not be canceled because cancellation was not requested',
    );
    const asked = applying.fire('request-cancel', ready, later, { cancelRequested: true });
    expect(asked.next.state).toMatchObject({ status: 'applying', lease: aLease, cancelRequested: true });
    expect(asked.next.state.statusTimestamps).toEqual({ 'applying-at': noon });
    expect(asked.effects).toEqual([]);
    expect(() => asked.next.fire('request-cancel', ready, later)).toThrow(
      'run could not be canceled because it is already being canceled',
    );
    expect(asked.next.fire('finish-cancel', ready, later).next.state).toMatchObject({
      status: 'canceled',
      lease: null,
    });
    expect(asked.next.fire('finish-apply', ready, later).next.state.status).toBe('applied');
  });

  it('gets another lease, or other files, without a transition', () => {
    const run = aRun({ status: 'planning' });
    const renewed = run.with({ lease: { ...aLease, expiresAt: '2026-03-01T13:00:00.000Z' } });
    expect(renewed.state).toEqual({
      ...run.state,
      lease: { ...aLease, expiresAt: '2026-03-01T13:00:00.000Z' },
      revision: 4,
    });
    expect(run.with({ ownFiles: { key: 'bundle-1', bytes: 3 } }).state).toEqual({
      ...run.state,
      ownFiles: { key: 'bundle-1', bytes: 3 },
      revision: 4,
    });
    expect(run.state.revision).toBe(3);
  });
});

describe('a phase of a run', () => {
  const planning = { 'plan-queued-at': noon, 'planning-at': noon };
  const planned = { ...planning, 'planned-at': later };
  const applying = { ...planned, 'apply-queued-at': later, 'applying-at': later };

  it.each([
    ['pending', {}, 'pending', 'pending'],
    ['plan_queued', { 'plan-queued-at': noon }, 'queued', 'pending'],
    ['planning', planning, 'running', 'pending'],
    ['post_plan_running', planned, 'finished', 'pending'],
    ['apply_queued', { ...planned, 'apply-queued-at': later }, 'finished', 'queued'],
    ['applying', applying, 'finished', 'running'],
    ['applied', { ...applying, 'applied-at': muchLater }, 'finished', 'finished'],
    ['planned_and_finished', planned, 'finished', 'unreachable'],
    ['discarded', planned, 'finished', 'unreachable'],
    ['errored', planning, 'errored', 'unreachable'],
    ['errored', applying, 'finished', 'errored'],
    ['canceled', {}, 'canceled', 'canceled'],
    ['canceled', applying, 'finished', 'canceled'],
  ] as const)('of a run that is %s, having passed %o: its plan is %s, its apply %s', (status, stamps, plan, apply) => {
    const { state } = aRun({ status, statusTimestamps: stamps });
    expect([phaseStatusOf(state, 'plan'), phaseStatusOf(state, 'apply')]).toEqual([plan, apply]);
  });

  it('was queued, began and finished when its run passed there', () => {
    const { state } = aRun({ status: 'applying', statusTimestamps: applying });
    expect(phaseInstants(state, 'plan')).toEqual([noon, noon, later]);
    expect(phaseInstants(state, 'apply')).toEqual([later, later, undefined]);
  });
});

describe('a run', () => {
  const { options } = aNewRun().state;

  it.each([
    ['plan_only', { planOnly: true, savePlan: true, options: { ...options, isDestroy: true } }],
    ['save_plan', { savePlan: true, options: { ...options, isDestroy: true } }],
    ['destroy', { options: { ...options, isDestroy: true, refreshOnly: true } }],
    ['refresh_only', { options: { ...options, refreshOnly: true, allowEmptyApply: true } }],
    ['empty_apply', { options: { ...options, allowEmptyApply: true } }],
    ['plan_and_apply', {}],
  ] as const)('has the operation %s, the first that fits', (operation, given) => {
    expect(operationOf(aRun(given).state)).toBe(operation);
  });

  it('is discardable while it waits for its turn or a decision', () => {
    expect(runStatusesDiscardable.toSorted()).toEqual([
      'pending',
      'planned',
      'planned_and_saved',
      'post_plan_awaiting_decision',
      'post_plan_completed',
    ]);
  });

  it('can be canceled by force three minutes after its apply was canceled', () => {
    const asked = { action: 'cancel', at: later, by: { kind: 'user', id: 'user-1' }, comment: null } as const;
    const canceled = aRun({ status: 'applying', cancelRequested: true, decisions: [asked] }).state;
    expect(isForceCancelable(canceled)).toBe(true);
    expect(forceCancelAvailableAt(canceled)).toBe('2026-03-01T12:08:00.000Z');
    // Releases that did not record who asked.
    expect(forceCancelAvailableAt({ ...canceled, decisions: [] })).toBe('2026-03-01T12:03:00.000Z');
    expect(isForceCancelable({ ...canceled, cancelRequested: false })).toBe(false);
    expect(forceCancelAvailableAt({ ...canceled, cancelRequested: false, decisions: [] })).toBeNull();
    expect(isForceCancelable({ ...canceled, status: 'planning' })).toBe(false);
  });
});
