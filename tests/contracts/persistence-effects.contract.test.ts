import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Claim,
  type ClaimedEffect,
  type Effect,
  type EffectOutbox,
  laneOf,
  noOrganization,
  type RemovalTarget,
} from '../../src/application/index.js';
import type { Organization } from '../../src/domain/index.js';
import {
  aBundle,
  afterNoon,
  anOrganization,
  asMember,
  asUser,
  aTeam,
  aUser,
  aWorkspace,
  noon,
  ownedBy,
  someIngressAttributes,
  unique,
} from '../support/builders.js';
import { aClaim, asPending, claimed } from '../support/claims.js';
import { onEveryBackend } from './on-every-backend.js';

const everyKind: readonly Effect['kind'][] = [
  'discard-bundle',
  'remove-rows',
  'queue-run',
  'follow-run-triggers',
  'queue-triggered-run',
  'purge-backing-data',
  'archive-version',
  'fetch-commit',
  'fetch-run-files',
  'fetch-policies',
  'read-state-outputs',
  'call-run-task',
  'send-notification',
];

const someRequest = {
  cloneUrl: 'https://example.com/a.git',
  credential: null,
  ref: 'refs/heads/main',
  commitSha: null,
};

const discard = (bundleKey: string): Effect => ({ kind: 'discard-bundle', bundleKey });

onEveryBackend('effects', (on) => {
  const keysOf = (effects: readonly { readonly effect: Effect }[]) =>
    effects.map(({ effect }) => (effect.kind === 'discard-bundle' ? effect.bundleKey : effect.kind));

  const claim = (at = noon, limit = 100, until = afterNoon(30), kinds = everyKind) =>
    on.run((tx) => claimed(tx, kinds, { now: at, limit, until }));
  /** Due effects, which are given back. */
  const due = async (at = noon, limit = 100, kinds = everyKind) => {
    const seen = await on.read((tx) => tx.effects.due(at, kinds, limit));
    const lanes = await on.read((tx) => tx.effects.lanesDue(at));
    const taken = await claim(at, limit, afterNoon(100_000), kinds);
    await on.run((tx) => tx.effects.giveBack(taken));
    expect(taken.map(asPending)).toEqual(seen);
    if (kinds === everyKind) expect(new Set(lanes)).toEqual(new Set(taken.map(({ effect }) => laneOf(effect.kind))));
    return seen;
  };
  const failing = (number = 1, size = 20) => on.read((tx) => tx.effects.failing({ number, size }));
  const enqueue = (...given: Parameters<EffectOutbox['enqueue']>) => on.run((tx) => tx.effects.enqueue(...given));

  beforeEach(async () => {
    await on.run((tx) => tx.effects.free());
    const left = () => on.read((tx) => tx.effects.due('9999', everyKind, 100));
    for (let some = await left(); some.length > 0; some = await left()) {
      for (const { id } of some) await on.run((tx) => tx.effects.done(id));
    }
    for (const { id } of (await failing()).items) await on.run((tx) => tx.effects.done(id));
  });

  it('keeps effects of many subjects, each in its turn', async () => {
    const orders = ['c', 'a', 'b'].map((subject) => ({ subject, effect: discard(subject) }));
    await on.run((tx) => tx.effects.enqueueEach(orders));
    await on.run((tx) => tx.effects.enqueueEach([]));
    expect(keysOf(await due())).toEqual(['c', 'a', 'b']);
  });

  it('keeps no effect of work that failed', async () => {
    const work = on.run(async (tx) => {
      await tx.effects.enqueue('cv-1', [discard('bundle-1')]);
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await due()).toEqual([]);
  });

  it('has of each subject its oldest effect due, the oldest of all first', async () => {
    await on.run((tx) => tx.effects.enqueue('a', [discard('a1'), discard('a2')]));
    await on.run((tx) => tx.effects.enqueue('b', [discard('b1')]));
    await on.run((tx) => tx.effects.enqueue('a', [discard('a3')]));
    await on.run((tx) => tx.effects.enqueue('c', [discard('c1')]));
    expect(keysOf(await due())).toEqual(['a1', 'b1', 'c1']);
    expect(keysOf(await due(noon, 2))).toEqual(['a1', 'b1']);

    for (const expected of [['a2', 'b1', 'c1'], ['b1', 'a3', 'c1'], ['a3', 'c1'], ['c1'], []]) {
      const [first] = await due();
      await on.run((tx) => tx.effects.done(first?.id ?? 0));
      expect(keysOf(await due())).toEqual(expected);
    }
  });

  it('holds a failed effect back, and with it what comes after it on the same subject', async () => {
    await on.run((tx) => tx.effects.enqueue('a', [discard('a1'), discard('a2')]));
    await on.run((tx) => tx.effects.enqueue('b', [discard('b1')]));
    const [first] = await due();
    const id = first?.id ?? 0;
    await on.run((tx) => tx.effects.failed(id, 'disk full', afterNoon(2)));
    expect(keysOf(await due(afterNoon(1)))).toEqual(['b1']);
    const retried = await due(afterNoon(2));
    expect(keysOf(retried)).toEqual(['a1', 'b1']);
    expect(retried[0]).toEqual({ id, effect: discard('a1'), attempts: 1, lastError: 'disk full' });

    await on.run((tx) => tx.effects.failed(id, 'disk still full', afterNoon(9)));
    expect(keysOf(await due(afterNoon(8)))).toEqual(['b1']);
    expect((await due(afterNoon(9)))[0]).toMatchObject({ attempts: 2, lastError: 'disk still full' });
    await on.run((tx) => tx.effects.done(id));
    expect(keysOf(await due())).toEqual(['a2', 'b1']);
  });

  it('forgets an effect that is done, says whether it was there, and does not mind hearing of it again', async () => {
    await on.run((tx) => tx.effects.enqueue('a', [discard('a1')]));
    const [first] = await due();
    const done = () => on.run((tx) => tx.effects.done(first?.id ?? 0));
    expect([await done(), await done()]).toEqual([true, false]);
    await on.run((tx) => tx.effects.failed(first?.id ?? 0, 'late', noon));
    expect(await due()).toEqual([]);
    expect((await failing()).items).toEqual([]);
  });

  it('reports to only one of many concurrent workers that it is done', async () => {
    await enqueue('a', [discard('a1')]);
    const [first] = await due();
    const told = await Promise.all(Array.from({ length: 8 }, () => on.run((tx) => tx.effects.done(first?.id ?? 0))));
    expect(told.filter(Boolean)).toEqual([true]);
  });

  it('gives back every kind of effect as it was enqueued', async () => {
    const effects: Effect[] = [
      { kind: 'queue-run', versionId: 'cv-1' },
      { kind: 'follow-run-triggers', runId: 'run-1', after: 'rt-1' },
      { kind: 'queue-triggered-run', triggerId: 'rt-2', runId: 'run-1' },
      { kind: 'purge-backing-data', versionId: 'cv-1' },
      { kind: 'archive-version', versionId: 'cv-1' },
      { kind: 'fetch-commit', versionId: 'cv-1', request: someRequest },
      { kind: 'fetch-run-files', runId: 'run-1' },
      { kind: 'fetch-policies', versionId: 'polsetver-1' },
      { kind: 'read-state-outputs', stateVersionId: 'sv-1' },
      {
        kind: 'send-notification',
        configurationId: 'nc-1',
        event: { runId: 'run-1', trigger: 'run:planning', status: 'planning', at: noon },
      },
    ];
    for (const effect of effects) await enqueue(`subject of ${effect.kind}`, [effect]);
    expect((await due()).map(({ effect }) => effect)).toEqual(effects);
  });

  it('has nothing due of other kinds, nor what waits behind them', async () => {
    await enqueue('a', [{ kind: 'queue-run', versionId: 'cv-1' }, discard('a1')]);
    await enqueue('b', [discard('b1')]);
    expect(keysOf(await due(noon, 100, ['discard-bundle']))).toEqual(['b1']);
    expect(keysOf(await due(noon, 100, ['queue-run', 'archive-version']))).toEqual(['queue-run']);
    expect(await due(noon, 100, [])).toEqual([]);
  });

  it('has nothing due before its time, and not what comes after it on the same subject; others go on', async () => {
    await enqueue('a', [discard('a1'), discard('a2')], afterNoon(5));
    await enqueue('a', [discard('a3')]);
    await enqueue('b', [discard('b1')]);
    await enqueue('c', [discard('c1')], noon);
    expect(keysOf(await due(noon))).toEqual(['b1', 'c1']);
    expect(keysOf(await due(afterNoon(4)))).toEqual(['b1', 'c1']);
    const come = await due(afterNoon(5));
    expect(keysOf(come)).toEqual(['a1', 'b1', 'c1']);
    expect(come[0]).toMatchObject({ attempts: 0, lastError: null });

    await on.run((tx) => tx.effects.done(come[0]?.id ?? 0));
    expect(keysOf(await due(noon))).toEqual(['b1', 'c1']);
    expect(keysOf(await due(afterNoon(5)))).toEqual(['a2', 'b1', 'c1']);
  });

  it('does not let a later effect overtake one that waits, though its own time has come', async () => {
    await enqueue('a', [discard('a1')]);
    await enqueue('a', [discard('a2')], afterNoon(9));
    expect(keysOf(await due(noon))).toEqual(['a1']);
    const [first] = await due(noon);
    await on.run((tx) => tx.effects.failed(first?.id ?? 0, 'disk full', afterNoon(20)));
    expect(await due(afterNoon(10))).toEqual([]);
    expect(keysOf(await due(afterNoon(20)))).toEqual(['a1']);
  });

  it('gives effects ids in the order in which they were enqueued', async () => {
    const keys = Array.from({ length: 12 }, (_, n) => `bundle-${n}`);
    await enqueue('a', keys.slice(0, 6).map(discard));
    await enqueue('b', keys.slice(6).map(discard));
    const ids: number[] = [];
    const inOrder: string[] = [];
    for (let left = await due(); left.length > 0; left = await due()) {
      const [first] = left;
      if (first === undefined) break;
      const [key = ''] = keysOf([first]);
      ids.push(first.id);
      inOrder.push(key);
      await on.run((tx) => tx.effects.done(first.id));
    }
    expect(inOrder).toEqual(keys);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(new Set(ids).size).toBe(keys.length);
  });

  it('leases what it gives to one alone, until the lease ends', async () => {
    for (const subject of ['a', 'b', 'c']) await enqueue(subject, [discard(`${subject}1`), discard(`${subject}2`)]);
    expect(keysOf(await claim(noon, 2))).toEqual(['a1', 'b1']);
    expect(keysOf(await claim(afterNoon(10)))).toEqual(['c1']);
    expect(await claim(afterNoon(29))).toEqual([]);
    expect(keysOf(await claim(afterNoon(30), 100, afterNoon(90)))).toEqual(['a1', 'b1', 'c1']);
    expect(await claim(afterNoon(89))).toEqual([]);
  });

  it('gives nothing behind an effect that is leased, and what comes next once that is done', async () => {
    await enqueue('a', [discard('a1'), discard('a2')]);
    const [first] = await claim();
    expect(await claim(afterNoon(1))).toEqual([]);
    await on.run((tx) => tx.effects.done(first?.id ?? 0));
    expect(keysOf(await claim(afterNoon(1)))).toEqual(['a2']);
  });

  it('leases for longer what is still there', async () => {
    await enqueue('a', [discard('a1')]);
    await enqueue('b', [discard('b1')]);
    const ids = (await claim()).map(({ id }) => id);
    await on.run((tx) => tx.effects.done(ids[1] ?? 0));
    await on.run((tx) => tx.effects.renew(ids, afterNoon(60)));
    await on.run((tx) => tx.effects.renew([], afterNoon(60)));
    expect(await claim(afterNoon(59))).toEqual([]);
    expect(keysOf(await claim(afterNoon(60)))).toEqual(['a1']);
  });

  it('ends the lease of a failed effect, and every lease on request', async () => {
    await enqueue('a', [discard('a1')]);
    await enqueue('b', [discard('b1')]);
    const [a1] = await claim();
    await on.run((tx) => tx.effects.failed(a1?.id ?? 0, 'disk full', afterNoon(2)));
    expect(keysOf(await claim(afterNoon(2)))).toEqual(['a1']);
    await on.run((tx) => tx.effects.free());
    expect(keysOf(await claim(afterNoon(2)))).toEqual(['a1', 'b1']);
  });

  describe('of several organizations', () => {
    const removal = (id: string): Effect => ({ kind: 'remove-rows', target: { kind: 'organization', id } });
    const order = async (...organizations: readonly string[]) => {
      for (const id of organizations) await enqueue(unique('subject'), [removal(id)]);
    };
    const take = (given: Partial<Claim> = {}, lane: Claim['lane'] = 'local') =>
      on.run((tx) => tx.effects.claim(aClaim(lane, { limit: 1, until: afterNoon(1000), ...given })));
    const organizationsOf = (effects: readonly ClaimedEffect[]) => effects.map(({ organizationId }) => organizationId);

    it('are claimed in turn, however many one of them has', async () => {
      await order('org-a', 'org-a', 'org-a', 'org-b', 'org-c', 'org-b');
      const turns: string[] = [];
      for (let after = ''; turns.length < 6; after = turns.at(-1) ?? '') {
        turns.push(...organizationsOf(await take({ after })));
      }
      expect(turns).toEqual(['org-a', 'org-b', 'org-c', 'org-a', 'org-b', 'org-a']);
      expect(await take({ after: 'org-a' })).toEqual([]);
    });

    it('are passed over where they get nothing now', async () => {
      await order('org-a', 'org-b');
      expect(await take({ after: 'org-b', except: ['org-a', 'org-b'] })).toEqual([]);
      expect(organizationsOf(await take({ after: 'org-b', except: ['org-a'] }))).toEqual(['org-b']);
      expect(organizationsOf(await take({ after: 'org-b' }))).toEqual(['org-a']);
    });

    it('have one each in a batch, and the first in turn has the rest', async () => {
      await order('org-a', 'org-a', 'org-b', 'org-b', 'org-b', 'org-b', 'org-c');
      expect(organizationsOf(await take({ limit: 5, after: 'org-a' })).sort()).toEqual([
        'org-a',
        'org-b',
        'org-b',
        'org-b',
        'org-c',
      ]);
      expect(organizationsOf(await take({ limit: 5, after: 'org-b' })).sort()).toEqual(['org-a', 'org-b']);
    });

    it('are those of the resources that effects are about', async () => {
      const organization = await on.organization();
      const workspace = await on.workspace(organization);
      const { state } = await on.version(workspace);
      await enqueue('one', [{ kind: 'fetch-commit', versionId: state.id, request: someRequest }]);
      await enqueue('two', [{ kind: 'queue-run', versionId: state.id }]);
      await enqueue('three', [{ kind: 'remove-rows', target: { kind: 'workspace', id: workspace.id } }]);
      await enqueue('four', [{ kind: 'remove-rows', target: { kind: 'user', id: 'user-1' } }]);
      await enqueue('five', [discard('bundle-1')]);
      const found = await claim();
      const own = organization.id;
      expect(organizationsOf(found)).toEqual([own, own, own, noOrganization, noOrganization]);
    });

    it('come behind those that waited when they failed, within their organization', async () => {
      await order('org-a', 'org-a', 'org-a');
      const [first] = await take();
      await on.run((tx) => tx.effects.failed(first?.id ?? 0, 'it was silent', noon));
      await order('org-a');
      const ids = [];
      for (let turn = 0; turn < 4; turn += 1) ids.push(...(await take()).map(({ id }) => id));
      expect(ids.indexOf(first?.id ?? 0)).toBe(2);
    });
  });

  describe('attempts', () => {
    const take = (lane: Claim['lane'], at: number) =>
      on.run((tx) => tx.effects.claim(aClaim(lane, { now: afterNoon(at), until: afterNoon(at + 30) })));

    it('are counted until one ends, and made alone from the third on', async () => {
      await enqueue('a', [discard('a1')]);
      expect(await take('discards', 0)).toMatchObject([{ begun: 1 }]);
      expect(await take('discards', 30)).toMatchObject([{ begun: 2 }]);
      expect(await on.read((tx) => tx.effects.lanesDue(afterNoon(60)))).toEqual(['alone']);
      expect(await take('discards', 60)).toEqual([]);
      const [third] = await take('alone', 60);
      expect(third).toMatchObject({ begun: 3 });
      await on.run((tx) => tx.effects.failed(third?.id ?? 0, 'disk full', afterNoon(61)));
      expect(await take('discards', 61)).toMatchObject([{ begun: 1, attempts: 1 }]);
    });

    it('do not count if they are given back, which changes nothing of a later claim', async () => {
      await enqueue('a', [discard('a1')]);
      const first = await take('discards', 0);
      await on.run((tx) => tx.effects.giveBack(first));
      const second = await take('discards', 1);
      expect(second).toMatchObject([{ begun: 1 }]);
      const third = await take('discards', 31);
      await on.run((tx) => tx.effects.giveBack(second));
      expect(await take('discards', 32)).toEqual([]);
      await on.run((tx) => tx.effects.giveBack(third));
      expect(await take('discards', 32)).toMatchObject([{ begun: 2 }]);
    });

    it('are over for what is put aside, until it is retried; nothing waits behind it', async () => {
      await enqueue('a', [discard('a1'), discard('a2')]);
      const [first] = await take('discards', 0);
      const id = first?.id ?? 0;
      expect(await on.run((tx) => tx.effects.retry(id))).toBeUndefined();
      expect(await on.run((tx) => tx.effects.putAside(id, 'it never ended'))).toBe(true);
      expect(await on.run((tx) => tx.effects.putAside(0, 'it never ended'))).toBe(false);
      expect(await on.read((tx) => tx.effects.countAside())).toBe(1);
      const aside = {
        id,
        subject: 'a',
        kind: 'discard-bundle',
        attempts: 0,
        lastError: 'it never ended',
        notBefore: null,
      };
      expect((await failing()).items).toEqual([{ ...aside, status: 'put_aside' }]);
      const behind = await take('discards', 1000);
      expect(keysOf(behind)).toEqual(['a2']);
      await on.run((tx) => tx.effects.done(behind[0]?.id ?? 0));
      expect(await on.run((tx) => tx.effects.retry(id))).toEqual({ ...aside, status: 'retrying' });
      expect(await on.read((tx) => tx.effects.countAside())).toBe(0);
      expect(await take('discards', 1000)).toMatchObject([{ id, begun: 1 }]);
    });
  });

  it('leases nothing in work that failed', async () => {
    await enqueue('a', [discard('a1')]);
    const work = on.run(async (tx) => {
      await claimed(tx, everyKind, { until: afterNoon(30) });
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(keysOf(await claim())).toEqual(['a1']);
  });

  it('gives those who claim at once different effects, and between them all there are', async () => {
    const keys = Array.from({ length: 40 }, (_, n) => `bundle-${n}`);
    await on.run(async (tx) => {
      for (const key of keys) await tx.effects.enqueue(key, [discard(key), discard(`${key} again`)]);
    });
    const taken: string[] = [];
    for (let turn = 0; turn < 20 && taken.length < keys.length; turn += 1) {
      const together = await Promise.all([1, 2, 3, 4].map(() => claim(noon, 5)));
      for (const some of together) {
        expect(some.length).toBeLessThanOrEqual(5);
        taken.push(...keysOf(some));
      }
    }
    expect(taken.sort()).toEqual([...keys].sort());
    expect(await claim(afterNoon(29))).toEqual([]);
  });

  it('lists those that failed, the oldest first, and no other', async () => {
    expect(await failing()).toEqual({ number: 1, size: 20, total: 0, items: [] });
    await enqueue('a', [discard('a1'), discard('a2')]);
    await enqueue('b', [{ kind: 'queue-run', versionId: 'cv-1' }]);
    await enqueue('c', [discard('c1')]);
    await enqueue('d', [discard('d1')], afterNoon(60));
    const [a1, b1, c1] = await due();
    for (const [effect, error, at] of [
      [c1, 'no network', 4],
      [a1, 'disk full', 2],
      [b1, 'no such workspace', 8],
      [a1, 'disk still full', 6],
    ] as const) {
      await on.run((tx) => tx.effects.failed(effect?.id ?? 0, error, afterNoon(at)));
    }
    const items = [
      {
        id: a1?.id,
        subject: 'a',
        kind: 'discard-bundle',
        attempts: 2,
        lastError: 'disk still full',
        notBefore: afterNoon(6),
        status: 'retrying',
      },
      {
        id: b1?.id,
        subject: 'b',
        kind: 'queue-run',
        attempts: 1,
        lastError: 'no such workspace',
        notBefore: afterNoon(8),
        status: 'retrying',
      },
      {
        id: c1?.id,
        subject: 'c',
        kind: 'discard-bundle',
        attempts: 1,
        lastError: 'no network',
        notBefore: afterNoon(4),
        status: 'retrying',
      },
    ];
    expect(await failing()).toEqual({ number: 1, size: 20, total: 3, items });
    expect(await failing(2, 2)).toEqual({ number: 2, size: 2, total: 3, items: items.slice(2) });
    expect(await failing(3, 2)).toEqual({ number: 3, size: 2, total: 3, items: [] });
    await on.run((tx) => tx.effects.done(a1?.id ?? 0));
    expect((await failing()).items).toEqual(items.slice(1));
  });
});

onEveryBackend('removals', (on) => {
  /** Calls until nothing is left. Returns every bundle key named, and the number of calls. */
  async function removeAll(target: RemovalTarget, limit: number) {
    const keys: string[] = [];
    for (let calls = 1; ; calls += 1) {
      const batch = await on.run((tx) => tx.removals.removeBatch(target, limit));
      expect(batch.bundleKeys.length).toBeLessThanOrEqual(limit);
      keys.push(...batch.bundleKeys);
      if (batch.finished) return { keys: keys.sort(), calls };
      if (calls > 50) throw new Error('it never finishes');
    }
  }

  const refersToAny = async (keys: readonly string[]) => {
    for (const key of keys) if (await on.read((tx) => tx.storedFiles.refersTo(key))) return true;
    return false;
  };

  /** A workspace with versions, some with a bundle, a commit and a run. */
  async function aFullWorkspace(organization: Organization, bundles = 5) {
    const workspace = await on.workspace(organization);
    const keys: string[] = [];
    for (let n = 0; n < bundles; n += 1) {
      const bundle = aBundle();
      keys.push(bundle.key);
      const { state } = await on.version(workspace, { status: 'uploaded', bundle });
      await on.run((tx) => tx.configurationVersions.addIngressAttributes(state.id, someIngressAttributes()));
      const run = { id: unique('run'), workspaceId: workspace.id, configurationVersionId: state.id };
      await on.seedRun({ ...run, status: 'applied', createdBy: null });
      await on.version(workspace);
    }
    return { workspace, keys: keys.sort() };
  }

  it('takes a workspace away in batches, naming every bundle it held', async () => {
    const organization = await on.organization();
    const { workspace, keys } = await aFullWorkspace(organization);
    const neighbour = await aFullWorkspace(organization);
    const team = await on.team(organization);
    await on.grant(team, workspace, { access: 'read' });
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    const removed = await removeAll({ kind: 'workspace', id: workspace.id }, 3);
    expect(removed.keys).toEqual(keys);
    expect(removed.calls).toBeGreaterThanOrEqual(4);
    expect(await refersToAny(keys)).toBe(false);

    expect(await refersToAny(neighbour.keys)).toBe(true);
    const page = { number: 1, size: 20 };
    const left = await on.read((tx) => tx.configurationVersions.page(neighbour.workspace.id, page));
    expect(left.total).toBe(10);
    expect(left.items).toHaveLength(10);
  });

  it('names no bundle that a row still refers to', async () => {
    const { workspace, keys } = await aFullWorkspace(await on.organization());
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    const { bundleKeys, finished } = await on.run((tx) =>
      tx.removals.removeBatch({ kind: 'workspace', id: workspace.id }, 4),
    );
    expect(finished).toBe(false);
    expect(bundleKeys.length).toBeGreaterThan(0);
    expect(await refersToAny(bundleKeys)).toBe(false);
    expect(await refersToAny(keys.filter((key) => !bundleKeys.includes(key)))).toBe(true);
  });

  it('takes an organization away with everything in it', async () => {
    const organization = await on.organization();
    const user = await on.user();
    const membership = await on.membership(organization, user);
    const team = await on.team(organization, { owners: true }, [user]);
    const workspaces = [await aFullWorkspace(organization, 3), await aFullWorkspace(organization, 2)];
    for (const { workspace } of workspaces) await on.grant(team, workspace, { access: 'admin' });
    await on.workspace(organization);
    const tokens = [
      await on.token(ownedBy('team', team)),
      await on.token(ownedBy('organization', organization)),
      await on.token(ownedBy('user', user)),
    ];
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    const removed = await removeAll({ kind: 'organization', id: organization.id }, 3);
    const keys = workspaces.flatMap((full) => full.keys).sort();
    expect(removed.keys).toEqual(keys);
    expect(removed.calls).toBeGreaterThanOrEqual(4);
    expect(await refersToAny(keys)).toBe(false);
    const found = await Promise.all(tokens.map(({ id }) => on.read((tx) => tx.tokens.find(id))));
    expect(found).toEqual([undefined, undefined, tokens[2]]);
    expect(await on.read((tx) => tx.memberships.findFor(asUser(user), membership.id))).toBeUndefined();
    expect(await on.read((tx) => tx.users.find(user.id))).toEqual(user);
  });

  it('takes a team away with its token and its grants, and leaves its members', async () => {
    const organization = await on.organization();
    const user = await on.member(organization);
    const [gone, kept] = [await on.team(organization, {}, [user]), await on.team(organization, {}, [user])];
    const workspace = await on.workspace(organization);
    await on.grant(gone, workspace, { access: 'admin' });
    await on.grant(kept, workspace, { access: 'read' });
    const token = await on.token(ownedBy('team', gone));
    await on.run((tx) => tx.teams.remove(gone.id, noon));
    expect(await removeAll({ kind: 'team', id: gone.id }, 10)).toEqual({ keys: [], calls: 1 });
    expect(await on.read((tx) => tx.tokens.find(token.id))).toBeUndefined();
    const seen = await on.read((tx) => tx.workspaces.findFor(asUser(user), workspace.id));
    expect(seen?.standing).toMatchObject({ member: true, teams: [{ teamId: kept.id, grant: { access: 'read' } }] });
  });

  it('takes a user away with their tokens, memberships and places in teams', async () => {
    const organization = await on.organization();
    const [gone, kept] = [await on.user(), await on.member(organization)];
    await on.membership(organization, gone);
    const team = await on.team(organization, {}, [gone, kept]);
    const token = await on.token(ownedBy('user', gone));
    await on.run((tx) => tx.users.remove(gone.id, noon));
    expect(await removeAll({ kind: 'user', id: gone.id }, 10)).toEqual({ keys: [], calls: 1 });
    expect(await on.read((tx) => tx.tokens.find(token.id))).toBeUndefined();
    expect(await on.read((tx) => tx.teams.members([team.id]))).toEqual(new Map([[team.id, [asMember(kept)]]]));
    const members = await on.read((tx) => tx.memberships.page(organization.id, { number: 1, size: 20 }));
    expect(members.items.map(({ userId }) => userId)).toEqual([kept.id]);
  });

  it('has nothing left to do for what is gone, or never was', async () => {
    const organization = await on.organization();
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    const target = { kind: 'organization', id: organization.id } as const;
    await removeAll(target, 10);
    const nobody = anOrganization();
    const targets: RemovalTarget[] = [
      target,
      { kind: 'organization', id: nobody.id },
      { kind: 'workspace', id: aWorkspace(nobody).id },
      { kind: 'team', id: aTeam(nobody).id },
      { kind: 'user', id: aUser().id },
    ];
    for (const each of targets) expect(await removeAll(each, 10)).toEqual({ keys: [], calls: 1 });
  });
});
