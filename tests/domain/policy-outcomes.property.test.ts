import { describe, expect, it } from '@jest/globals';
import {
  type AppliedPolicySet,
  blocks,
  canOverride,
  concludeEvaluation,
  isDomainError,
  moveAll,
  overrideStage,
  type PolicyOutcome,
  type PolicySetOutcome,
  readReport,
  resultCountOf,
  sumOfCounts,
  type TaskStage,
  verdictOf,
} from '../../src/domain/index.js';
import { fc } from '../support/properties.js';
import { anAppliedSet, anOpenStage, aPolicy, aReport, aSetOutcome, errored, failed, passed } from './policy-samples.js';
import { later } from './samples.js';

const anyLevel = fc.constantFrom('advisory' as const, 'mandatory' as const);
const anyOutcome: fc.Arbitrary<PolicyOutcome> = fc.oneof(
  anyLevel.map(passed),
  anyLevel.map(failed),
  fc.constant(errored),
);

const anySet: fc.Arbitrary<PolicySetOutcome> = fc
  .record({
    error: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constant('no such rule') }),
    overridable: fc.boolean(),
    outcomes: fc.array(anyOutcome, { maxLength: 6 }),
  })
  .map(aSetOutcome);

describe('whatever the policies of a set say', () => {
  it('the set has a level exactly where one of its policies gave it one and nothing errored', () => {
    fc.assert(
      fc.property(anySet, (set) => {
        const { status, enforcementLevel } = verdictOf(set);
        const levels = set.outcomes.flatMap((one) =>
          one.status === status && one.status !== 'errored' ? [one.enforcementLevel] : [],
        );
        if (status === 'errored' || set.outcomes.length === 0) expect(enforcementLevel).toBeNull();
        else expect(levels).toContain(enforcementLevel);
        if (levels.includes('mandatory')) expect(enforcementLevel).toBe('mandatory');
      }),
    );
  });

  it('it stands in the way exactly where one failed mandatorily, or something of an unknown level errored', () => {
    fc.assert(
      fc.property(anySet, (set) => {
        const serious = set.outcomes.some(
          (one) => one.status === 'errored' || (one.status === 'failed' && one.enforcementLevel === 'mandatory'),
        );
        expect(blocks(undefined, set)).toBe(serious || set.error !== null);
      }),
    );
  });

  it('every policy is counted once, and sets are counted like one', () => {
    fc.assert(
      fc.property(fc.array(anySet, { maxLength: 4 }), (sets) => {
        const outcomes = sets.flatMap((set) => set.outcomes);
        const counts = sumOfCounts(sets.map(resultCountOf));
        expect(counts).toEqual(resultCountOf({ outcomes }));
        expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(outcomes.length);
      }),
    );
  });
});

const anyAppliedSets: fc.Arbitrary<readonly AppliedPolicySet[]> = fc
  .array(fc.array(anyLevel, { maxLength: 4 }), { maxLength: 4 })
  .map((sets) =>
    sets.map((levels, index) =>
      anAppliedSet({
        id: `polset-${index}`,
        policies: levels.map((level, position) => aPolicy(`policy-${position}`, level)),
      }),
    ),
  );

describe('whatever is reported', () => {
  it('the order of the report does not matter', () => {
    const anyShuffled = anyAppliedSets.chain((applied) =>
      fc.shuffledSubarray(applied.map(aReport), { minLength: applied.length }).map((reported) => ({
        applied,
        reported: reported.map((one) => ({ ...one, policies: one.policies.toReversed() })),
      })),
    );
    fc.assert(
      fc.property(anyShuffled, ({ applied, reported }) => {
        const read = readReport(applied, reported);
        expect(read).toEqual(readReport(applied, applied.map(aReport)));
        expect(read.map(({ outcomes }) => outcomes.length)).toEqual(applied.map(({ policies }) => policies.length));
      }),
    );
  });

  it('it is refused when anything is left out, and names where', () => {
    fc.assert(
      fc.property(anyAppliedSets, fc.nat(), (applied, seed) => {
        fc.pre(applied.length > 0);
        const without = applied.map(aReport).toSpliced(seed % applied.length, 1);
        try {
          readReport(applied, without);
        } catch (error) {
          expect(isDomainError(error) && [error.code, error.details]).toEqual([
            'agent-report/invalid',
            { member: 'policySets' },
          ]);
          return;
        }
        throw new Error('expected a refusal');
      }),
    );
  });
});

type Step =
  | { readonly do: 'start' | 'close' | 'reset' | 'override' }
  | { readonly do: 'conclude'; readonly id: string; readonly outcomes: readonly PolicySetOutcome[] };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('start' as const, 'override' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('close' as const, 'reset' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('conclude' as const),
      id: fc.constantFrom('poleval-opa', 'poleval-sentinel'),
      outcomes: fc.array(anySet, { maxLength: 2 }),
    }),
  },
);

function taken(stage: TaskStage, step: Step): TaskStage {
  switch (step.do) {
    case 'override':
      return overrideStage(stage, later);
    case 'conclude':
      return concludeEvaluation(stage, step.id, '0.70.0', step.outcomes, later);
    case 'reset':
      // Its plan is lost: a run is there no more once its policies are decided.
      return stage.status === 'awaiting_override' ? stage : moveAll(stage, step.do, later);
    default:
      return moveAll(stage, step.do, later);
  }
}

/** Every stage met, from an open one on; a refused step leaves it where it is. */
const walks = fc.array(anyStep, { maxLength: 25 }).map((steps) => {
  const met = [anOpenStage()];
  for (const step of steps) {
    const at = met.at(-1) ?? anOpenStage();
    try {
      const next = taken(at, step);
      if (next !== at) met.push(next);
    } catch (error) {
      if (!isDomainError(error)) throw error;
    }
  }
  return met;
});

const isOver = ({ status }: TaskStage) => ['passed', 'failed', 'errored', 'canceled'].includes(status);

describe('whatever happens to a task stage', () => {
  it('it ends with its last evaluation', () => {
    fc.assert(
      fc.property(walks, (met) => {
        for (const stage of met) {
          const open = stage.evaluations.some(({ status }) => status === 'running');
          expect([stage.status, open]).toEqual([stage.status, stage.status === 'running']);
        }
      }),
    );
  });

  it('its status does not change once it is over', () => {
    fc.assert(
      fc.property(walks, (met) => {
        met.forEach((stage, index) => {
          const next = met[index + 1];
          if (next !== undefined && isOver(stage)) expect(next.status).toBe(stage.status);
        });
      }),
    );
  });

  it('it passes where each evaluation passed or was overridden, and waits only for what may be overridden', () => {
    fc.assert(
      fc.property(walks, (met) => {
        for (const stage of met) {
          const blocking = stage.evaluations.filter(({ status }) => status === 'failed' || status === 'errored');
          if (stage.status === 'passed') expect(blocking).toEqual([]);
          if (!canOverride(stage)) continue;
          expect(blocking.length).toBeGreaterThan(0);
          expect(blocking.every(({ overridable }) => overridable)).toBe(true);
        }
      }),
    );
  });

  it('its revision rises by one with each step', () => {
    fc.assert(
      fc.property(walks, (met) => {
        expect(met.map(({ revision }) => revision)).toEqual(met.map((_, index) => index));
      }),
    );
  });

  it('walks reach every status', () => {
    const reached = new Set(
      fc.sample(walks, { numRuns: 500, seed: 1 }).flatMap((met) => met.map(({ status }) => status)),
    );
    expect(reached.size).toBe(7);
  });
});
