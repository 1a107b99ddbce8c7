import { describe, expect, it } from '@jest/globals';
import { ConfigurationVersion, isDomainError, lifecycle, type Trigger } from '../../src/domain/index.js';
import { fc, runs } from '../support/properties.js';
import { aBundle, aNewVersion, anotherBundle, anyFacts, anyVersion, holdsBytes, later, noon } from './samples.js';
import { actualOutcome, promised, promisedOutcome, triggers } from './specified-lifecycle.js';

const anyTrigger = fc.constantFrom(...triggers);
const anySteps = fc.array(fc.record({ trigger: anyTrigger, facts: anyFacts }), { maxLength: 30 });

/** The change that comes with a trigger when the service fires it. */
const changeFor = (trigger: Trigger) => {
  if (trigger === 'upload' || trigger === 'finish-fetch') return { bundle: aBundle };
  if (trigger === 'soft-delete') return { purgeAt: later };
  return trigger === 'replace-upload' ? { bundle: anotherBundle } : {};
};

/** Every version met while firing `steps` one after the other; a refused step leaves it where it is. */
function walk(
  start: ConfigurationVersion,
  steps: readonly { trigger: Trigger; facts: Parameters<ConfigurationVersion['fire']>[1] }[],
): readonly ConfigurationVersion[] {
  const met = [start];
  for (const { trigger, facts } of steps) {
    const at = met[met.length - 1] ?? start;
    try {
      met.push(at.fire(trigger, facts, later, changeFor(trigger)).next);
    } catch (error) {
      if (!isDomainError(error)) throw error;
    }
  }
  return met;
}

const walks = fc
  .record({ origin: fc.constantFrom('api' as const, 'version-control' as const), steps: anySteps })
  .map(({ origin, steps }) => walk(aNewVersion({ origin }), steps));

describe('whatever happens to a configuration version', () => {
  it('it moves exactly as promised or refuses with the first broken condition, and stays as it was', () => {
    fc.assert(
      fc.property(anyVersion, anyTrigger, anyFacts, (version, trigger, facts) => {
        const before = structuredClone(version.state);
        expect(actualOutcome(version, trigger, facts, later)).toEqual(promisedOutcome(before, trigger, facts, later));
        expect(version.state).toEqual(before);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('a change of status keeps everything that the row does not name', () => {
    fc.assert(
      fc.property(anyVersion, anyTrigger, anyFacts, (version, trigger, facts) => {
        const outcome = actualOutcome(version, trigger, facts, later);
        if (!('moves' in outcome)) return;
        const { status: _s, statusTimestamps, bundle: _b, purgeAt: _p, revision, ...kept } = outcome.moves;
        expect(version.state).toMatchObject(kept);
        expect(statusTimestamps).toMatchObject({ ...version.state.statusTimestamps, [promised[trigger].stamp]: later });
        expect(revision).toBe(version.state.revision + 1);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('nothing leaves permanently deleted backing data', () => {
    expect(
      lifecycle.filter((row) => (row.from as readonly string[]).includes('backing_data_permanently_deleted')),
    ).toEqual([]);
    fc.assert(
      fc.property(anyVersion, anySteps, ({ state }, steps) => {
        const gone = ConfigurationVersion.restore({
          ...state,
          status: 'backing_data_permanently_deleted',
          bundle: null,
        });
        expect(walk(gone, steps)).toEqual([gone]);
      }),
    );
  });

  it('runs may use it while uploaded, and while archived if it came from version control', () => {
    fc.assert(
      fc.property(walks, (met) => {
        for (const { state, usableInRuns } of met) {
          const specified =
            state.status === 'uploaded' || (state.status === 'archived' && state.origin === 'version-control');
          expect({ ...state, usableInRuns }).toEqual({ ...state, usableInRuns: specified });
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('it holds bytes exactly in the states that keep them', () => {
    fc.assert(
      fc.property(walks, (met) => {
        for (const { state } of met)
          expect([state.status, state.bundle !== null]).toEqual([state.status, holdsBytes(state.status)]);
      }),
      { numRuns: runs(500) },
    );
  });

  it('it has a time to be purged exactly while its backing data is softly deleted', () => {
    fc.assert(
      fc.property(walks, (met) => {
        for (const { state } of met)
          expect([state.status, state.purgeAt !== null]).toEqual([
            state.status,
            state.status === 'backing_data_soft_deleted',
          ]);
      }),
      { numRuns: runs(500) },
    );
  });

  it('bytes that it lets go are ordered discarded, and no others', () => {
    fc.assert(
      fc.property(anyVersion, anyTrigger, anyFacts, (version, trigger, facts) => {
        let fired: ReturnType<ConfigurationVersion['fire']>;
        try {
          fired = version.fire(trigger, facts, later, changeFor(trigger));
        } catch {
          return;
        }
        const held = version.state.bundle;
        const letGo = held !== null && fired.next.state.bundle?.key !== held.key;
        const discarded = fired.effects.filter(({ kind }) => kind === 'discard-bundle');
        expect(discarded).toEqual(letGo ? [{ kind: 'discard-bundle', bundleKey: held.key }] : []);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('walks reach every status, so that the claims above are about all of them', () => {
    const reached = new Set(
      fc
        .sample(walks, { numRuns: 2000, seed: 1 })
        .flat()
        .map(({ state }) => state.status),
    );
    expect(reached.size).toBe(7);
  });
});

describe('a configuration version', () => {
  it('starts pending, with nothing stored and nothing gone wrong', () => {
    expect(aNewVersion().state).toEqual({
      id: 'cv-1',
      workspaceId: 'ws-1',
      origin: 'api',
      source: 'tfe-api',
      autoQueueRuns: true,
      speculative: false,
      provisional: false,
      ingressAttributesId: null,
      createdBy: null,
      createdAt: noon,
      status: 'pending',
      failure: null,
      statusTimestamps: {},
      bundle: null,
      purgeAt: null,
      revision: 0,
    });
  });

  it('comes back from a repository as it was stored, even where no rule would lead there', () => {
    fc.assert(
      fc.property(anyVersion, ({ state }) => {
        const odd = { ...state, bundle: anotherBundle };
        expect(ConfigurationVersion.restore(odd).state).toEqual(odd);
      }),
    );
  });

  it('cannot be changed but by firing', () => {
    const { state } = aNewVersion();
    expect(() => Object.assign(state, { status: 'uploaded' })).toThrow(TypeError);
  });

  it('leaves what it was made from alone', () => {
    const stored = { ...aNewVersion().state };
    const version = ConfigurationVersion.restore(stored);
    stored.revision = 99;
    expect(version.state.revision).toBe(0);
    expect(Object.isFrozen(stored)).toBe(false);
  });

  it.each([
    { provisional: false, speculative: false, becomesCurrent: true },
    { provisional: true, speculative: false, becomesCurrent: false },
    { provisional: false, speculative: true, becomesCurrent: false },
    { provisional: true, speculative: true, becomesCurrent: false },
  ])('when created with %o', ({ becomesCurrent, ...given }) => {
    expect(aNewVersion(given).becomesCurrentWhenCreated).toBe(becomesCurrent);
  });
});
