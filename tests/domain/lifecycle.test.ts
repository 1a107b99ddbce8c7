import { describe, expect, it } from '@jest/globals';
import {
  guards,
  lifecycle,
  type Origin,
  type Status,
  statuses,
  statusTraits,
  type Trigger,
} from '../../src/domain/index.js';
import { aBundle, anotherBundle, atRest, aVersion, later, muchLater, noon } from './samples.js';
import { actualOutcome, answers, type Gathered, promised, promisedOutcome, triggers } from './specified-lifecycle.js';

const origins: readonly Origin[] = ['api', 'version-control'];
const either = [false, true];

/** Tries everything in every status, even out of place, so that each row's effects show. */
const everyState = origins.flatMap((origin) =>
  [null, aBundle].flatMap((bundle) =>
    either.flatMap((autoQueueRuns) =>
      [null, noon, muchLater].map((purgeAt) => ({ origin, bundle, autoQueueRuns, purgeAt })),
    ),
  ),
);
const everyFact = either.flatMap((isCurrent) =>
  either.flatMap((runsInProgress) =>
    either.flatMap((usedByRun) => either.map((outdated) => ({ isCurrent, runsInProgress, usedByRun, outdated }))),
  ),
);
const everyCase = everyState.flatMap((state) => everyFact.map((facts) => ({ state, facts })));

describe('the lifecycle', () => {
  it('knows the promised triggers and no other', () => {
    expect(lifecycle.map((row) => row.trigger)).toEqual(triggers);
  });

  it('knows the promised conditions and no other', () => {
    expect([...Object.keys(guards), answers.status.guard].sort()).toEqual(
      Object.values(answers)
        .map(({ guard }) => guard)
        .sort(),
    );
  });

  it('prints for each trigger the states, conditions, timestamp and effects that are promised', () => {
    expect(
      lifecycle.map((row) => ({
        trigger: row.trigger,
        from: row.from,
        guards: row.guards,
        to: row.to,
        stamp: row.stamp,
        effects: row.effects,
        refusedAs: row.refusedAs,
        opening: `configuration could not be ${row.done} because `,
      })),
    ).toEqual(
      triggers.map((trigger) => {
        const row = promised[trigger];
        return {
          trigger,
          from: row.from,
          guards: row.asks.map((question) => answers[question].guard),
          to: row.to,
          stamp: row.stamp,
          effects: row.effects,
          refusedAs: row.refusal,
          opening: row.opening,
        };
      }),
    );
  });

  describe.each(triggers)('%s', (trigger) => {
    it.each(statuses)('moves or refuses as promised for a version that is %s', (status) => {
      for (const { state, facts } of everyCase) {
        const version = aVersion({ status, ...state });
        expect({ state, facts, outcome: actualOutcome(version, trigger, facts, later) }).toEqual({
          state,
          facts,
          outcome: promisedOutcome(version.state, trigger, facts, later),
        });
      }
    });
  });
});

describe('an upload', () => {
  it('makes a pending version uploaded, with the bytes and the time of the upload', () => {
    const { next, effects } = aVersion({ status: 'pending', revision: 0 }).fire('upload', atRest, noon, {
      bundle: aBundle,
    });
    expect(next.state).toMatchObject({
      status: 'uploaded',
      bundle: aBundle,
      statusTimestamps: { 'uploaded-at': noon },
      revision: 1,
    });
    expect(effects).toEqual([{ kind: 'queue-run', versionId: 'cv-1' }]);
  });

  it('queues a run once, and only where runs are queued automatically', () => {
    const change = { bundle: aBundle };
    expect(aVersion({ autoQueueRuns: false }).fire('upload', atRest, noon, change).effects).toEqual([]);
    const uploaded = aVersion({ autoQueueRuns: true }).fire('upload', atRest, noon, change).next;
    const replaced = uploaded.fire('replace-upload', atRest, later, { bundle: anotherBundle });
    expect(replaced.effects).toEqual([{ kind: 'discard-bundle', bundleKey: aBundle.key }]);
  });

  it('is the first one while pending, and a replacement while uploaded', () => {
    const fired = Object.fromEntries(statuses.map((status) => [status, aVersion({ status }).uploadTrigger]));
    expect(fired).toEqual({
      pending: 'upload',
      fetching: 'upload',
      uploaded: 'replace-upload',
      archived: 'upload',
      errored: 'upload',
      backing_data_soft_deleted: 'upload',
      backing_data_permanently_deleted: 'upload',
    });
  });

  it('that proves bad is held against pending and fetching versions only', () => {
    expect(statuses.filter((status) => aVersion({ status }).canFail())).toEqual(['pending', 'fetching']);
  });

  it('that proved bad is recorded with its reason', () => {
    const failure = { error: 'bad-archive', errorMessage: 'the archive is not a gzip stream' };
    const { next } = aVersion({ status: 'pending' }).fire('fail', atRest, noon, { failure });
    expect(next.state).toMatchObject({ status: 'errored', failure, statusTimestamps: { 'errored-at': noon } });
  });

  it('is refused once a run has used the version', () => {
    expect(() => aVersion({ status: 'uploaded' }).fire('replace-upload', { ...atRest, usedByRun: true }, noon)).toThrow(
      'configuration could not be uploaded because a run has used it; upload to a new configuration version',
    );
  });
});

describe('fetching from version control', () => {
  it('leads from pending over fetching to uploaded, each with its time', () => {
    const fetching = aVersion({ origin: 'version-control' }).fire('start-fetch', atRest, noon).next;
    expect(fetching.state.status).toBe('fetching');
    const { next: uploaded, effects } = fetching.fire('finish-fetch', atRest, later, { bundle: aBundle });
    expect(uploaded.state).toMatchObject({ status: 'uploaded', bundle: aBundle });
    expect(uploaded.state.statusTimestamps).toEqual({ 'fetching-at': noon, 'uploaded-at': later });
    expect(effects).toEqual([{ kind: 'queue-run', versionId: 'cv-1' }]);
  });

  it('ends in archived automatically when the runs are complete, current or not', () => {
    const { next, effects } = aVersion({ status: 'uploaded', origin: 'version-control' }).fire(
      'finish-runs',
      { isCurrent: true, runsInProgress: false, usedByRun: true },
      later,
    );
    expect(next.state).toMatchObject({ status: 'archived', bundle: null });
    expect(effects).toEqual([{ kind: 'discard-bundle', bundleKey: aBundle.key }]);
  });
});

describe('backing data', () => {
  it('is kept while softly deleted, and usable again when restored', () => {
    const change = { purgeAt: muchLater };
    const deleted = aVersion({ status: 'uploaded' }).fire('soft-delete', atRest, noon, change);
    expect(deleted.next.state).toMatchObject({
      status: 'backing_data_soft_deleted',
      bundle: aBundle,
      purgeAt: muchLater,
    });
    expect(deleted.effects).toEqual([{ kind: 'purge-backing-data', versionId: 'cv-1' }]);
    const restored = deleted.next.fire('restore', atRest, later);
    expect(restored.next.state).toMatchObject({ status: 'uploaded', bundle: aBundle, purgeAt: null });
    expect(restored.next.state.statusTimestamps).toEqual({
      'soft-delete-backing-data-at': noon,
      'restore-backing-data-at': later,
    });
    expect(restored.effects).toEqual([]);
  });

  it('is purged at its time, and not a moment before', () => {
    const deleted = aVersion({ status: 'backing_data_soft_deleted', purgeAt: later });
    const purged = deleted.fire('purge', atRest, later);
    expect(purged.next.state).toMatchObject({
      status: 'backing_data_permanently_deleted',
      bundle: null,
      purgeAt: null,
      statusTimestamps: { 'permanently-delete-backing-data-at': later },
    });
    expect(purged.effects).toEqual([{ kind: 'discard-bundle', bundleKey: aBundle.key }]);
    const early = 'configuration could not be purged because its backing data can still be restored';
    expect(() => deleted.fire('purge', atRest, '2026-03-01T12:04:59.999Z')).toThrow(early);
  });

  it('that was restored is not purged, nor when it is deleted again with a later time', () => {
    const deleted = aVersion({ status: 'backing_data_soft_deleted', purgeAt: noon });
    const restored = deleted.fire('restore', atRest, noon).next;
    expect(() => restored.fire('purge', atRest, later)).toThrow(
      'configuration could not be purged because its status is uploaded',
    );
    const again = restored.fire('soft-delete', atRest, noon, { purgeAt: muchLater }).next;
    expect(() => again.fire('purge', atRest, later)).toThrow(
      'configuration could not be purged because its backing data can still be restored',
    );
  });
});

describe('a refusal', () => {
  const everything = { isCurrent: true, runsInProgress: true, usedByRun: true };
  const running = { runsInProgress: true };
  const fetched = { origin: 'version-control' } as const;
  const deleted = { status: 'backing_data_soft_deleted' } as const;

  it.each<[Trigger, Parameters<typeof aVersion>[0], Partial<Gathered>, string]>([
    ['upload', fetched, {}, 'uploaded because it was created from version control'],
    ['upload', {}, {}, 'uploaded because its status is uploaded'],
    ['start-fetch', { status: 'pending' }, {}, 'fetched because it was not created from version control'],
    // The first fault is the one reported.
    ['archive', { ...fetched, status: 'archived' }, everything, 'archived because it was created from version control'],
    ['archive', { status: 'archived' }, everything, 'archived because its status is archived'],
    ['archive', {}, everything, 'archived because it is current'],
    ['archive', {}, running, 'archived because a run in progress uses it'],
    ['soft-delete', fetched, {}, 'soft deleted because it was created from version control'],
    ['soft-delete', {}, everything, 'soft deleted because it is current'],
    ['soft-delete', {}, running, 'soft deleted because a run in progress uses it'],
    ['permanently-delete', {}, {}, 'permanently deleted because its status is uploaded'],
    ['permanently-delete', { ...deleted, ...fetched }, {}, 'permanently deleted because it was created from version'],
    ['permanently-delete', deleted, { isCurrent: true }, 'permanently deleted because it is current'],
    ['permanently-delete', deleted, running, 'permanently deleted because a run in progress uses it'],
    ['purge', deleted, {}, 'purged because its backing data can still be restored'],
    ['purge', { ...deleted, purgeAt: noon }, running, 'purged because a run in progress uses it'],
    ['restore', {}, {}, 'restored because its status is uploaded'],
  ])('of %s, of a version with %j and %j, says that it could not be %s', (trigger, given, facts, words) => {
    const version = aVersion({ status: 'uploaded', ...given });
    expect(() => version.fire(trigger, { ...atRest, ...facts }, later)).toThrow(`configuration could not be ${words}`);
  });
});

describe('a status', () => {
  const allowing = (test: (version: ReturnType<typeof aVersion>) => boolean, origin: Origin): readonly Status[] =>
    statuses.filter((status) => test(aVersion({ status, origin })));

  it('of uploaded alone lets a version from API or CLI be used in runs', () => {
    expect(allowing((version) => version.usableInRuns, 'api')).toEqual(['uploaded']);
  });

  it('of uploaded or archived lets a version from version control be used in runs', () => {
    expect(allowing((version) => version.usableInRuns, 'version-control')).toEqual(['uploaded', 'archived']);
  });

  it('of uploaded alone lets a version be downloaded, whatever its origin', () => {
    for (const origin of origins) expect(allowing((version) => version.downloadable, origin)).toEqual(['uploaded']);
  });

  it('of deleted backing data makes a version read as missing, whatever its origin', () => {
    for (const origin of origins) {
      expect(allowing((version) => version.readable, origin)).toEqual([
        'pending',
        'fetching',
        'uploaded',
        'archived',
        'errored',
      ]);
    }
  });

  it('is one of the seven that clients know', () => {
    expect(statuses).toEqual([
      'pending',
      'fetching',
      'uploaded',
      'archived',
      'errored',
      'backing_data_soft_deleted',
      'backing_data_permanently_deleted',
    ]);
    expect(Object.keys(statusTraits)).toEqual(statuses);
  });
});
