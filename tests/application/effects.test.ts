import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Effect,
  effectLeaseSeconds,
  type Lane,
  lanes,
  type PendingEffect,
  type Transaction,
} from '../../src/application/index.js';
import { type BundleKey, DomainError, later } from '../../src/domain/index.js';
import { firstPage, inChunks, UncertainUnitOfWork, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { MemoryBundleStore } from '../support/memory-bundle-store.js';

const files = await archiveOf({ 'main.tf': 'terraform {}' });

/** Fails to discard some bundles, and records the order in which it discarded the others. */
class StubbornStore extends MemoryBundleStore {
  readonly discarded: BundleKey[] = [];
  readonly stuck = new Set<BundleKey>();

  whenDiscarding: () => void = () => undefined;

  override async discard(key: BundleKey): Promise<void> {
    this.whenDiscarding();
    if (this.stuck.has(key)) throw new Error(`${key} cannot be discarded`);
    this.discarded.push(key);
    await super.discard(key);
  }
}

let world: World;
let store: StubbornStore;
let unitOfWork: UncertainUnitOfWork;
beforeEach(async () => {
  unitOfWork = new UncertainUnitOfWork();
  world = await World.create({
    unitOfWork,
    store: (now) => {
      store = new StubbornStore(now);
      return store;
    },
  });
});

const discardOf = (bundleKey: BundleKey): Effect => ({ kind: 'discard-bundle', bundleKey });

const order = (subject: string, ...keys: readonly BundleKey[]) =>
  world.unitOfWork.run((tx) => tx.effects.enqueue(subject, keys.map(discardOf)));

const nothing = { done: 0, failures: [], aside: [] };

const perform = () => world.useCases.performEffects.execute('discards');

/** Effects due once `seconds` more have passed. */
const dueAfter = async (seconds: number): Promise<readonly PendingEffect[]> => {
  world.clock.advance(seconds);
  return world.unitOfWork.read((tx) => tx.effects.due(world.clock.now(), lanes.discards.kinds, 100));
};

describe('the lanes in which something is due', () => {
  const due = () => world.useCases.performEffects.lanesDue();

  it('are those of the oldest of each subject that may be performed by now', async () => {
    expect(await due()).toEqual([]);
    await order('one', 'bundle-1');
    const purge: Effect = { kind: 'purge-backing-data', versionId: 'cv-1' };
    await world.unitOfWork.run((tx) => tx.effects.enqueue('one', [purge]));
    await world.unitOfWork.run((tx) => tx.effects.enqueue('two', [purge], later(world.clock.now(), 60)));
    expect(await due()).toEqual(['discards']);
    await perform();
    expect(await due()).toEqual(['quick']);
    await world.useCases.performEffects.execute('quick');
    expect(await due()).toEqual([]);
    world.clock.advance(60);
    expect(await due()).toEqual(['quick']);
  });

  it('are the same where much is due', async () => {
    for (let subject = 0; subject < 100; subject += 1) await order(`subject-${subject}`, `bundle-${subject}`);
    expect(await due()).toEqual(['discards']);
  });
});

describe('performing what was ordered', () => {
  it('does it once, and says how much was done', async () => {
    await order('a', 'key-1');
    await order('b', 'key-2');
    expect(await perform()).toEqual({ ...nothing, done: 2 });
    expect(store.discarded).toEqual(['key-1', 'key-2']);
    expect(world.ordered).toEqual([]);
    expect(await perform()).toEqual(nothing);
  });

  it('keeps nothing that is quick waiting for bundles to be discarded', async () => {
    await order('a', 'key-1');
    expect(await world.useCases.performEffects.execute('quick')).toEqual(nothing);
    expect(world.ordered).toHaveLength(1);
  });

  it('takes up nothing more once it is halted, and leaves the rest to the next process', async () => {
    await order('a', 'key-1');
    await order('b', 'key-2');
    const halted = world.processBeside().performEffects;
    store.whenDiscarding = () => halted.halt();
    expect(await halted.execute('discards')).toEqual({ ...nothing, done: 1 });
    expect(store.discarded).toEqual(['key-1']);
    expect(await perform()).toEqual({ ...nothing, done: 1 });
    expect(store.discarded).toEqual(['key-1', 'key-2']);
  });

  it('gives back what it does not take up, and not from its next holder', async () => {
    await order('a', 'key-1');
    await order('b', 'key-2');
    const halted = world.processBeside().performEffects;
    store.whenDiscarding = () => halted.halt();
    await halted.execute('discards');
    expect((await world.processBeside().performEffects.claim('discards')).effects).toHaveLength(1);
    await halted.release();
    expect(await perform()).toEqual(nothing);
  });

  it('may be asked of some kinds, whatever their lanes', async () => {
    await order('a', 'key-1');
    const others: readonly Effect[] = [
      { kind: 'purge-backing-data', versionId: 'cv-1' },
      { kind: 'archive-version', versionId: 'cv-1' },
    ];
    for (const effect of others) await world.unitOfWork.run((tx) => tx.effects.enqueue(effect.kind, [effect]));
    const share = { kinds: ['discard-bundle', 'purge-backing-data'], batch: 5 } as const;
    expect(await world.useCases.performEffects.execute(share)).toEqual({ ...nothing, done: 2 });
    expect(world.ordered).toMatchObject([{ kind: 'archive-version' }]);
  });

  it('keeps to the order within one subject', async () => {
    await order('a', 'key-1', 'key-2');
    await order('a', 'key-3');
    for (let turn = 0; turn < 3; turn += 1) expect(await perform()).toMatchObject({ done: 1 });
    expect(store.discarded).toEqual(['key-1', 'key-2', 'key-3']);
  });

  it('takes any number of orders, a part of them at a time', async () => {
    const keys = Array.from({ length: 50 }, (_, index) => `key-${index + 1}`);
    for (const key of keys) await order(key, key);
    expect((await perform()).done).toBeLessThan(50);
    await world.performEffects();
    expect(store.discarded).toEqual(keys);
  });
});

describe('an effect that fails', () => {
  beforeEach(() => {
    store.stuck.add('key-1');
  });

  it('is reported, with what went wrong, and is kept', async () => {
    await order('a', 'key-1');
    const { done, failures } = await perform();
    expect(done).toBe(0);
    expect(failures).toMatchObject([
      { effect: { effect: discardOf('key-1'), attempts: 0 }, error: { message: 'key-1 cannot be discarded' } },
    ]);
    expect(world.ordered).toEqual([discardOf('key-1')]);
    expect(await dueAfter(1)).toMatchObject([{ attempts: 1, lastError: 'Error: key-1 cannot be discarded' }]);
  });

  it('holds up its own subject, and no other', async () => {
    await order('a', 'key-1', 'key-2');
    await order('b', 'key-3', 'key-4');
    await world.performEffects();
    await world.performEffects();
    expect(store.discarded).toEqual(['key-3', 'key-4']);
  });

  it('is not held while the rest of its batch is performed', async () => {
    await order('a', 'key-1');
    await order('b', 'key-2');
    const { performEffects } = world.useCases;
    let renewal: Promise<void> | undefined;
    store.whenDiscarding = () => {
      store.whenDiscarding = () => {
        renewal = performEffects.renew();
      };
    };
    await perform();
    await renewal;
    expect(await dueAfter(1)).toHaveLength(1);
  });

  it('is its next holder’s alone once it was recorded', async () => {
    await order('a', 'key-1');
    await perform();
    expect(await dueAfter(1)).toHaveLength(1);
    expect((await world.processBeside().performEffects.claim('discards')).effects).toHaveLength(1);
    expect(await perform()).toEqual(nothing);
  });

  it('waits twice as long each time, ten minutes at most', async () => {
    await order('a', 'key-1');
    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]) {
      await perform();
      expect(await dueAfter(seconds - 0.001)).toEqual([]);
      expect(await dueAfter(0.001)).toHaveLength(1);
    }
  });

  it('succeeds later, and what waited behind it follows', async () => {
    await order('a', 'key-1', 'key-2');
    await perform();
    store.stuck.clear();
    expect(await perform()).toEqual(nothing);
    world.clock.advance(1);
    await world.performEffects();
    expect(store.discarded).toEqual(['key-1', 'key-2']);
    expect(world.ordered).toEqual([]);
  });
});

/** Removes nothing, and cannot even record that it failed. */
class BrokenRemovals extends UncertainUnitOfWork {
  broken = false;

  override run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const fail = async () => {
      throw new Error('the rows are locked');
    };
    return super.run((tx) => {
      if (!this.broken) return work(tx);
      return work({
        ...tx,
        removals: Object.assign(Object.create(tx.removals) as typeof tx.removals, { removeBatch: fail }),
        effects: Object.assign(Object.create(tx.effects) as typeof tx.effects, { failed: fail }),
      });
    });
  }
}

describe('effects that are performed side by side', () => {
  it('do not end because the failure of one cannot be recorded', async () => {
    const rows = new BrokenRemovals();
    world = await World.create({ unitOfWork: rows });
    const doomed = await world.newWorkspace('storage');
    const repository = { cloneUrl: 'https://git.example/acme/network.git', branch: 'main', credential: null };
    await world.useCases.updateWorkspace.execute(world.owner, { id: world.workspace.id }, { repository });
    world.repositories.push(repository.cloneUrl, 'main', files);
    await world.useCases.removeWorkspace.execute(world.owner, { id: doomed.id });
    const { id } = await world.useCases.fetchCommit.execute(world.owner, world.workspace.id);
    rows.broken = true;
    const loop = (lane: Lane) => world.useCases.performEffects.execute(lane);
    const [removal, fetching] = await Promise.allSettled([loop('local'), loop('fetches')]);
    expect(removal).toMatchObject({ status: 'rejected', reason: { message: 'the rows are locked' } });
    expect(fetching).toMatchObject({ status: 'fulfilled', value: { done: 1 } });
    expect((await world.stateOf(id)).status).toBe('uploaded');
    rows.broken = false;
    world.clock.advance(effectLeaseSeconds);
    await world.performEffects();
    expect(world.ordered).toEqual([]);
  });
});

describe('an effect in hand', () => {
  const cloneUrl = 'https://git.example/acme/network.git';
  let come: (late?: Promise<never>) => void;
  let first: Promise<unknown>;
  let id: string;
  const another = () => world.processBeside().performEffects.execute('fetches');
  const asked = () => world.repositories.asked.length;

  beforeEach(async () => {
    const repository = { cloneUrl, branch: 'main', credential: null };
    await world.useCases.updateWorkspace.execute(world.owner, { id: world.workspace.id }, { repository });
    const sha = world.repositories.push(cloneUrl, 'main', files);
    const delay = new Promise<unknown>((resolve) => {
      come = resolve;
    });
    world.repositories.delays.set(sha, delay);
    ({ id } = await world.useCases.fetchCommit.execute(world.owner, world.workspace.id));
    first = world.useCases.performEffects.execute('fetches');
    while (asked() === 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('is left to its holder for as long as the lease is renewed', async () => {
    for (let seconds = 0; seconds < 3 * effectLeaseSeconds; seconds += effectLeaseSeconds / 3) {
      expect(await another()).toEqual(nothing);
      await world.useCases.performEffects.renew();
      world.clock.advance(effectLeaseSeconds / 3);
    }
    come();
    expect(await first).toEqual({ ...nothing, done: 1 });
    expect(asked()).toBe(1);
  });

  it('is taken over from one who fell silent, and what both did counts once', async () => {
    world.clock.advance(effectLeaseSeconds - 0.001);
    expect(await another()).toEqual(nothing);
    world.clock.advance(0.001);
    const second = another();
    while (asked() === 1) await new Promise((resolve) => setImmediate(resolve));
    come();
    await Promise.all([first, second]);
    await world.performEffects();
    expect(await world.bundles()).toEqual(new Map([[(await world.stateOf(id)).bundle?.key, files]]));
    const { items } = await world.useCases.listRuns.execute(world.owner, world.workspace.id, firstPage);
    expect(items).toHaveLength(1);
    expect(world.ordered).toEqual([]);
  });

  it.each([
    ['that come', undefined],
    ['that are refused', new DomainError('repository/fetch-failed', 'the repository is gone')],
  ])('leaves nothing of files %s for a version that was removed meanwhile', async (_, refusal) => {
    await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
    while ((await world.useCases.performEffects.execute('local')).done > 0);
    come(refusal && Promise.reject(refusal));
    expect(await first).toEqual({ ...nothing, done: 1 });
    expect([await world.bundles(), world.ordered]).toEqual([new Map(), []]);
  });

  it('is due at once when the only process restarts', async () => {
    const beside = world.processBeside().performEffects;
    await beside.takeOver();
    const second = beside.execute('fetches');
    while (asked() === 1) await new Promise((resolve) => setImmediate(resolve));
    come();
    await Promise.all([first, second]);
    expect((await world.stateOf(id)).status).toBe('uploaded');
  });
});

describe('an effect that is performed twice', () => {
  it.each(['before it is kept', 'after it is kept'] as const)(
    'does no harm when the record that it was done fails %s',
    async (moment) => {
      await store.write('key-1', inChunks([files]));
      await order('a', 'key-1');
      store.whenDiscarding = () => {
        unitOfWork.failing = moment;
      };
      await expect(perform()).rejects.toThrow('the connection was lost');
      store.whenDiscarding = () => undefined;
      unitOfWork.failing = undefined;
      world.clock.advance(effectLeaseSeconds);
      await world.performEffects();
      expect(world.ordered).toEqual([]);
      expect(await store.read('key-1')).toBeUndefined();
    },
  );

  it('does no harm when it takes away what is gone already', async () => {
    const version = await world.uploadedVersion(files);
    const { bundle } = await world.stateOf(version.id);
    const { id } = world.workspace;
    await world.useCases.removeWorkspace.execute(world.owner, { id });
    await world.performEffects();
    await world.keepsEverything(async () => {
      for (const target of [
        { kind: 'workspace', id },
        { kind: 'team', id: 'team-99' },
        { kind: 'user', id: 'user-99' },
        { kind: 'organization', id: 'organization-99' },
      ] as const) {
        await world.unitOfWork.run((tx) => tx.removals.removeBatch(target, 1));
      }
      await store.discard(bundle?.key ?? '');
    });
  });

  it('does no harm when a workspace and its organization are taken away at once', async () => {
    await world.uploadedVersion(files);
    await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
    await world.useCases.removeOrganization.execute(world.owner, 'acme');
    await world.performEffects();
    expect(world.ordered).toEqual([]);
    expect(world.remembers(world.workspace.id)).toBe(false);
    expect(await world.bundles()).toEqual(new Map());
  });
});

describe('taking away what was deleted', () => {
  it('discards bundles after the rows that named them are gone, and tries again where that fails', async () => {
    const version = await world.uploadedVersion(files);
    const key = (await world.stateOf(version.id)).bundle?.key ?? '';
    store.stuck.add(key);
    await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
    await world.performEffects();
    expect(world.remembers(version.id)).toBe(false);
    expect(world.ordered).toEqual([discardOf(key)]);
    store.stuck.clear();
    world.clock.advance(1);
    await world.performEffects();
    expect(await world.bundles()).toEqual(new Map());
  });
});

/** Removes one version at a time. */
class SmallBatches extends UncertainUnitOfWork {
  override run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return super.run((tx) => {
      const removeBatch: typeof tx.removals.removeBatch = (target) => tx.removals.removeBatch(target, 1);
      return work({
        ...tx,
        removals: Object.assign(Object.create(tx.removals) as typeof tx.removals, { removeBatch }),
      });
    });
  }
}

describe('taking away more than one attempt can', () => {
  const removal = (id: string): Effect => ({ kind: 'remove-rows', target: { kind: 'workspace', id } });
  const attempt = () => world.useCases.performEffects.execute('local');

  beforeEach(async () => {
    world = await World.create({ unitOfWork: new SmallBatches() });
    for (let version = 0; version < 30; version += 1) await world.newVersion();
    await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
  });

  it('goes on behind what was ordered meanwhile, and loses nothing that was removed', async () => {
    const { id } = world.workspace;
    const { id: other } = await world.newWorkspace('storage');
    await world.useCases.removeWorkspace.execute(world.owner, { id: other });
    expect(await attempt()).toEqual({ ...nothing, done: 1 });
    expect(world.ordered).toEqual([removal(other), removal(id)]);
    expect(world.remembers(id)).toBe(true);
    for (let attempts = 0; attempts < 2; attempts += 1) expect(await attempt()).toEqual({ ...nothing, done: 1 });
    expect(world.ordered).toEqual([]);
    expect(world.remembers(id)).toBe(false);
  });

  it('is not put aside for attempts that never ended, since each removes a part', async () => {
    for (let kills = 0; kills < 2; kills += 1) {
      await world.unitOfWork.run((tx) =>
        tx.effects.claim({
          now: world.clock.now(),
          until: later(world.clock.now(), effectLeaseSeconds),
          lane: 'local',
          limit: 1,
          after: '',
          except: [],
        }),
      );
      world.clock.advance(effectLeaseSeconds);
      await world.performEffects();
    }
    expect(world.ordered).toEqual([]);
    expect(world.remembers(world.workspace.id)).toBe(false);
  });
});

describe('sweeping', () => {
  it('discards what no version refers to, keeps what one does, and counts', async () => {
    await world.uploadedVersion(files);
    await store.write('bundle-98', inChunks([files]));
    await store.write('bundle-99', inChunks([files]));
    world.clock.advance(60);
    expect(await world.useCases.sweepBundles.execute(59)).toBe(2);
    expect(store.discarded).toEqual(['bundle-98', 'bundle-99']);
    expect((await world.bundles()).size).toBe(1);
    expect(await world.useCases.sweepBundles.execute(59)).toBe(0);
  });

  it('goes on past what cannot be settled, and fails at its end', async () => {
    for (const key of ['bundle-97', 'bundle-98', 'bundle-99']) await store.write(key, inChunks([files]));
    world.clock.advance(60);
    store.stuck.add('bundle-97').add('bundle-98');
    await expect(world.useCases.sweepBundles.execute(0)).rejects.toThrow('bundle-97 cannot be discarded');
    expect(store.discarded).toEqual(['bundle-99']);
  });

  it('leaves attempts alone that are not old enough', async () => {
    await store.write('bundle-98', inChunks([files]));
    world.clock.advance(60);
    expect(await world.useCases.sweepBundles.execute(60)).toBe(0);
    expect(await store.read('bundle-98')).toBeDefined();
  });
});
