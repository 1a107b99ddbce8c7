import { describe, expect, it } from '@jest/globals';
import {
  isDomainError,
  type Run,
  type RunEffect,
  type RunFactsGathered,
  type RunState,
  type RunTrigger,
  runStatuses,
  runStatusesHoldingWorkspace,
  stages,
} from '../../src/domain/index.js';
import { fc, runs } from '../support/properties.js';
import { aLease, aNewRun, aRun, later } from './samples.js';
import {
  actualRest,
  actualRun,
  byThemselves,
  ended,
  promisedRest,
  promisedRun,
  type RunChange,
  runTriggers,
  underLease,
} from './specified-runs.js';

const anyTrigger = fc.constantFrom(...runTriggers);

const anyGathered: fc.Arbitrary<RunFactsGathered> = fc.record({
  workspaceAvailable: fc.boolean(),
  workspaceHeld: fc.boolean(),
  filesMissing: fc.boolean(),
  creatorMayApply: fc.boolean(),
  cancelOverdue: fc.boolean(),
  prePlan: fc.constantFrom('none', 'waiting', 'open', 'passed', 'failed'),
  policyCheck: fc.constantFrom('none', 'waiting', 'open', 'passed', 'overridable', 'failed'),
  preApply: fc.constantFrom('none', 'waiting', 'open', 'passed', 'failed'),
  evaluationsOpen: fc.boolean(),
});

const stampOf = (status: string): string => `${status.replaceAll('_', '-')}-at`;

const counts = { additions: 1, changes: 2, destructions: 0, imports: 0 };

const anyRun: fc.Arbitrary<Run> = fc
  .record({
    status: fc.constantFrom(...runStatuses),
    planOnly: fc.boolean(),
    savePlan: fc.boolean(),
    autoApply: fc.boolean(),
    hasChanges: fc.boolean(),
    cancelRequested: fc.boolean(),
    failure: fc.constantFrom(null, 'the plan failed'),
    planned: fc.constantFrom(null, counts),
    lease: fc.constantFrom(null, aLease),
    ownFiles: fc.constantFrom(null, { key: 'bundle-1', bytes: 3 }),
    revision: fc.nat(),
    allowEmptyApply: fc.boolean(),
    statusTimestamps: fc.constantFrom({}, { 'planned-at': later }),
  })
  .map(({ allowEmptyApply, ...given }) => aRun({ ...given, options: { ...aNewRun().state.options, allowEmptyApply } }));

/** One step of a walk: a trigger, or what the facts alone bring about. */
interface Step {
  readonly trigger: RunTrigger | 'settle';
  readonly gathered: RunFactsGathered;
  readonly hasChanges: boolean;
}

/** The change that comes with a trigger when the service fires it. */
const changeFor = ({ trigger, hasChanges }: Step): RunChange => {
  if (trigger === 'start-plan' || trigger === 'start-apply') return { lease: aLease };
  if (trigger === 'finish-plan') return { hasChanges, planned: counts };
  return trigger === 'request-cancel' ? { cancelRequested: true } : {};
};

interface Stride {
  readonly step: Step;
  readonly before: RunState;
  readonly after: RunState;
  readonly effects: readonly RunEffect[];
}

/** Every step that was not refused, from a new run on. */
function walk(start: Run, steps: readonly Step[]): readonly Stride[] {
  const strides: Stride[] = [];
  let at = start;
  for (const step of steps) {
    const { trigger, gathered } = step;
    try {
      const fired =
        trigger === 'settle' ? at.settle(gathered, later) : at.fire(trigger, gathered, later, changeFor(step));
      if (fired === undefined) continue;
      strides.push({ step, before: at.state, after: fired.next.state, effects: fired.effects });
      at = fired.next;
    } catch (error) {
      if (!isDomainError(error)) throw error;
    }
  }
  return strides;
}

/** Triggers that end a run, set it back or leave it where it is are rare, or hardly any run would get far. */
const spoilers = ['discard', 'cancel', 'fail', 'lose-plan', 'force-execute', 'fail-policy-check'] as const;
const furthering = runTriggers.filter((known) => !spoilers.some((one) => one === known));
/** `settle` fires the automatic ones: by name they are rarely fired. */
const anyStep: fc.Arbitrary<Step['trigger']> = fc.oneof(
  { weight: 6, arbitrary: fc.constant('settle' as const) },
  { weight: 5, arbitrary: fc.constantFrom(...furthering.filter((trigger) => byThemselves.includes(trigger))) },
  { weight: 20, arbitrary: fc.constantFrom(...furthering.filter((trigger) => !byThemselves.includes(trigger))) },
  { weight: 1, arbitrary: fc.constantFrom(...spoilers) },
);

/** Whether policies and run tasks apply to a run never changes. */
const walks: fc.Arbitrary<readonly Stride[]> = fc
  .record({
    planOnly: fc.boolean(),
    savePlan: fc.boolean(),
    autoApply: fc.boolean(),
    allowEmptyApply: fc.boolean(),
    policiesApply: fc.boolean(),
    tasksApply: fc.boolean(),
    steps: fc.array(
      fc.record({
        trigger: anyStep,
        gathered: anyGathered,
        hasChanges: fc.boolean(),
      }),
      { minLength: 60, maxLength: 150 },
    ),
  })
  .map(({ allowEmptyApply, policiesApply, tasksApply, steps, ...given }) => {
    const gatheredAs = (gathered: RunFactsGathered): RunFactsGathered => ({
      ...gathered,
      ...(!policiesApply && { policyCheck: 'none' }),
      ...(policiesApply && gathered.policyCheck === 'none' && { policyCheck: 'open' }),
      ...(!tasksApply && { prePlan: 'none', preApply: 'none' }),
    });
    return walk(
      aNewRun({ ...given, options: { allowEmptyApply } }),
      steps.map((step) => ({ ...step, gathered: gatheredAs(step.gathered) })),
    );
  });

const onWalks = (claim: (strides: readonly Stride[]) => void, numRuns = 200) =>
  fc.assert(fc.property(walks, claim), { numRuns: runs(numRuns) });

describe('whatever happens to a run', () => {
  it('it moves exactly as promised or refuses with the first broken condition, and stays as it was', () => {
    fc.assert(
      fc.property(anyRun, anyTrigger, anyGathered, (run, trigger, gathered) => {
        const before = structuredClone(run.state);
        const change = { failure: 'something new' };
        expect(actualRun(run, trigger, gathered, later, change)).toEqual(
          promisedRun(before, trigger, gathered, later, change),
        );
        expect(actualRest(run, gathered, later)).toEqual(promisedRest(before, gathered, later));
        expect(run.state).toEqual(before);
      }),
      { numRuns: runs(3000) },
    );
  });

  it('it comes to rest: the same facts bring nothing more about', () => {
    fc.assert(
      fc.property(anyRun, anyTrigger, anyGathered, (run, trigger, gathered) => {
        expect(run.settle(gathered, later)?.next.settle(gathered, later)).toBeUndefined();
        if (!('moves' in promisedRun(run.state, trigger, gathered, later))) return;
        expect(run.fire(trigger, gathered, later).next.settle(gathered, later)).toBeUndefined();
      }),
      { numRuns: runs(2000) },
    );
  });

  it('its revision rises by one with each step, however many statuses it passes through', () => {
    onWalks((strides) => {
      for (const { before, after } of strides) expect(after.revision).toBe(before.revision + 1);
    });
  });

  it('it never leaves the table', () => {
    onWalks((strides) => {
      for (const { step, before, after, effects } of strides) {
        const promised =
          step.trigger === 'settle'
            ? promisedRest(before, step.gathered, later)
            : promisedRun(before, step.trigger, step.gathered, later, changeFor(step));
        expect({ moves: after, effects }).toEqual(promised);
      }
    });
  });

  it('it is over once', () => {
    onWalks((strides) => {
      expect(strides.filter(({ before }) => ended.includes(before.status))).toEqual([]);
    });
  });

  it('it has a lease exactly where an agent executes it', () => {
    onWalks((strides) => {
      for (const { after } of strides) {
        // While only run tasks are waited for, there may be no agent.
        if (after.status === 'post_plan_running' && after.lease === null) continue;
        expect([after.status, after.lease !== null]).toEqual([after.status, underLease.includes(after.status)]);
      }
    });
  });

  it('it is never applied when it only plans, or changes nothing and may not do that', () => {
    onWalks((strides) => {
      for (const { after } of strides) {
        if (!(stages.apply as readonly string[]).concat('applied').includes(after.status)) continue;
        expect(after.planOnly).toBe(false);
        expect(after.hasChanges || after.options.allowEmptyApply).toBe(true);
      }
    });
  });

  it('it is never applied past policies that did not pass, unless they were overridden', () => {
    onWalks((strides) => {
      for (const { step, before, after } of strides) {
        const applies = (stages.apply as readonly string[]).includes(after.status);
        if (before.status !== 'post_plan_running' || !applies) continue;
        expect(step.gathered.policyCheck).toBe('passed');
      }
    });
  });

  it('it is not confirmed while its policies are evaluated, or wait for a decision', () => {
    onWalks((strides) => {
      for (const { step, before } of strides) {
        if (step.trigger !== 'confirm') continue;
        expect(['planned', 'post_plan_completed', 'planned_and_saved']).toContain(before.status);
        if (before.status === 'planned') expect(step.gathered.policyCheck).toBe('none');
      }
    });
  });

  it('it lets the next one go on when it gives the workspace up', () => {
    const holds = ({ planOnly, status }: RunState) => !planOnly && runStatusesHoldingWorkspace.includes(status);
    onWalks((strides) => {
      for (const { before, after, effects } of strides) {
        if (holds(before) && !holds(after) && after.status !== 'confirmed') {
          expect(effects).toContain('release-workspace');
        }
      }
    });
  });

  it('what it leaves behind is put away exactly when it ends', () => {
    onWalks((strides) => {
      for (const { after, effects } of strides) {
        const over = ended.includes(after.status);
        for (const effect of ['discard-files', 'archive-version'] as const) {
          expect([after.status, effects.filter((one) => one === effect).length]).toEqual([after.status, over ? 1 : 0]);
        }
        const closed = effects.includes('close-task-stages') || effects.includes('start-post-apply');
        expect([after.status, closed]).toEqual([after.status, over]);
        expect(effects.includes('promote-version')).toBe(after.status === 'applied');
      }
    });
  });

  it('walks reach every status and use every row, so that the claims above are about all of them', () => {
    const strides = fc.sample(walks, { numRuns: 700, seed: 1 }).flat();
    const reached = new Set(strides.flatMap(({ before, after }) => [before.status, after.status]));
    // Some are left in the same breath as they are reached.
    const passed = runStatuses.filter((status) =>
      strides.some(({ after }) => stampOf(status) in after.statusTimestamps),
    );
    for (const status of passed) reached.add(status);
    expect([...reached].sort()).toEqual([...runStatuses].sort());
    const used = new Set(strides.map(({ step }) => step.trigger));
    // `settle` and the step before take these; a few could be fired by name as well.
    const byHand = runTriggers.filter((trigger) => !byThemselves.includes(trigger));
    expect(byHand.filter((trigger) => !used.has(trigger))).toEqual([]);
    const outcomes = new Set(strides.map(({ before, after }) => `${before.status} to ${after.status}`));
    for (const oneStep of [
      'pending to fetching',
      'pending to plan_queued',
      'planning to planned_and_finished',
      'planning to planned_and_saved',
      'planning to post_plan_running',
      'planning to confirmed',
      'post_plan_running to errored',
      'post_plan_running to post_plan_awaiting_decision',
      'post_plan_running to post_plan_completed',
      'post_plan_running to apply_queued',
      'confirmed to apply_queued',
    ]) {
      expect(outcomes).toContain(oneStep);
    }
  });
});
