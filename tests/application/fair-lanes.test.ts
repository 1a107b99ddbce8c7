import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HeldLoops } from '../../src/application/background/held-loops.js';
import { type Lane, laneNames, lanes } from '../../src/application/index.js';
import type { BundleKey, ConfigurationVersionId, WorkspaceId } from '../../src/domain/index.js';
import { EffectWorker } from '../../src/infrastructure/effect-worker.js';
import { World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { MemoryBundleStore } from '../support/memory-bundle-store.js';

const files = await archiveOf({ 'main.tf': 'terraform {}' });
const shared = laneNames.filter((lane) => lanes[lane].loops > 1);

/** Claims by all loops of a lane, of organizations that each have more to do than there are loops. */
async function taken(held: HeldLoops, lane: Lane, organizations: readonly string[]) {
  const batches: { readonly lane: Lane; readonly limit: number; readonly effects: { organizationId: string }[] }[] = [];
  for (let loop = 0; loop < lanes[lane].loops; loop += 1) {
    const batch = await held.inTurn(lane, async ({ after, except }) => {
      const due = organizations.filter((one) => !except.includes(one));
      const next = due.find((one) => one > after) ?? due[0];
      return { lane, limit: 1, effects: next === undefined ? [] : [{ organizationId: next }] };
    });
    if (batch.effects.length > 0) batches.push(batch);
  }
  return batches;
}

const countsOf = (batches: readonly { readonly effects: readonly { readonly organizationId: string }[] }[]) =>
  Object.values(Object.groupBy(batches, ({ effects }) => effects[0]?.organizationId ?? '')).map((own) => own?.length);

describe('the loops of a process', () => {
  it.each(shared)('are at least four in the lane %s, of which no organization takes the last two', async (lane) => {
    expect(lanes[lane].loops).toBeGreaterThanOrEqual(4);
    const { loops, reserve } = lanes[lane];
    expect(reserve).toBeGreaterThanOrEqual(2);
    expect(countsOf(await taken(new HeldLoops(), lane, ['a']))).toEqual([loops - reserve]);
  });

  it.each(['local', 'fetches', 'calls'] as const)(
    'leave one in the lane %s to an organization that has none, when three have as many as they get',
    async (lane) => {
      const held = new HeldLoops();
      for (const organization of ['a', 'b', 'c']) await taken(held, lane, [organization]);
      expect(countsOf(await taken(held, lane, ['a', 'b', 'c']))).toEqual([]);
      expect(countsOf(await taken(held, lane, ['a', 'b', 'c', 'd']))).toEqual([1]);
    },
  );

  it('are shared by organizations in turn, and given again once they are free', async () => {
    const held = new HeldLoops();
    const batches = await taken(held, 'calls', ['a', 'b']);
    expect(countsOf(batches)).toEqual([4, 4]);
    expect(await taken(held, 'calls', ['a', 'b'])).toEqual([]);
    for (const batch of batches) held.release(batch);
    expect(countsOf(await taken(held, 'calls', ['b']))).toEqual([8]);
  });

  it('are claimed one after the other, so that each claim knows what the others took', async () => {
    const held = new HeldLoops();
    const steps: string[] = [];
    const claim = (name: string) =>
      held.inTurn('calls', async () => {
        steps.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        steps.push(`${name} ends`);
        return { lane: 'calls', limit: 1, effects: [] };
      });
    await Promise.all([claim('one'), claim('two')]);
    expect(steps).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  });

  it('go on after the last organization of a full batch, and else after the first, which had its rest', async () => {
    const held = new HeldLoops();
    const turns: string[] = [];
    const claim = (limit: number, ...organizations: readonly string[]) =>
      held.inTurn('discards', async ({ after }) => {
        turns.push(after);
        return { lane: 'discards', limit, effects: organizations.map((organizationId) => ({ organizationId })) };
      });
    await claim(5, 'c', 'a', 'b');
    await claim(3, 'a', 'c', 'b');
    await claim(2, 'c', 'b');
    await claim(3, 'd', 'c');
    await claim(5);
    expect(turns).toEqual(['', 'a', 'a', 'c', 'd']);
  });

  it('go on after a claim that failed', async () => {
    const held = new HeldLoops();
    const failed = held.inTurn('calls', async () => {
      throw new Error('the database is unavailable');
    });
    await expect(failed).rejects.toThrow('the database is unavailable');
    expect(countsOf(await taken(held, 'calls', ['a']))).toEqual([8]);
  });
});

/** Reads of some workspaces' states never end. */
class StallingStore extends MemoryBundleStore {
  readonly stalled = new Set<BundleKey>();
  reading = 0;
  override async read(key: BundleKey) {
    if (this.stalled.has(key)) {
      this.reading += 1;
      await new Promise(() => undefined);
    }
    return super.read(key);
  }
}

describe('with three organizations stalled in every lane', () => {
  let world: World;
  let store: StallingStore;
  let worker: EffectWorker;
  beforeEach(async () => {
    world = await World.create({
      store: (now) => {
        store = new StallingStore(now);
        return store;
      },
    });
    const silent = { info: () => undefined, error: () => undefined };
    const meter = { performed: () => undefined, choreFailed: () => undefined };
    const rates = { settle: async () => undefined };
    worker = new EffectWorker({ ...world.useCases, rates, abandonedAfterSeconds: 0 }, silent, meter);
  });
  afterEach(() => worker.halt());

  const owner = () => world.administrator;
  const until = async (isSo: () => boolean | Promise<boolean>) => {
    while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
  };

  /** Workspaces of an organization of their own, each with a repository. */
  async function workspaces(name: string, count: number): Promise<readonly WorkspaceId[]> {
    await world.useCases.createOrganization.execute(owner(), { name, email: `ops@${name}.example` });
    const cloneUrl = `https://git.example/${name}.git`;
    const ids: WorkspaceId[] = [];
    for (let index = 0; index < count; index += 1) {
      const made = await world.useCases.createWorkspace.execute(owner(), name, { name: `${name}-${index}` });
      const { id } = made.subject;
      const repository = { cloneUrl, branch: 'main', credential: null };
      await world.useCases.updateWorkspace.execute(owner(), { id }, { repository });
      ids.push(id);
    }
    return ids;
  }

  async function fetch(id: WorkspaceId): Promise<ConfigurationVersionId> {
    const version = await world.useCases.fetchCommit.execute(owner(), id);
    worker.wake(['fetch-commit']);
    return version.id;
  }

  async function write(workspaceId: WorkspaceId, stall: boolean) {
    const { useCases } = world;
    const outputs = { size: { value: 5, type: 'number' } };
    const state = Buffer.from(JSON.stringify({ version: 4, serial: 1, lineage: 'one', outputs, resources: [] }));
    const md5 = createHash('md5').update(state).digest('hex');
    await useCases.changeWorkspaceLock.execute(owner(), workspaceId, { action: 'lock', reason: null });
    const given = { serial: 1, lineage: 'one', md5, force: false, runId: undefined, state, jsonState: undefined };
    await useCases.createStateVersion.execute(owner(), { workspaceId, ...given });
    const current = () => world.unitOfWork.read((tx) => tx.stateVersions.current(workspaceId));
    if (stall) store.stalled.add((await current())?.bundle?.key ?? '');
    worker.wake(['read-state-outputs']);
    return current;
  }

  it('a fourth has its commit fetched and its state read at once', async () => {
    const stalled = await Promise.all(['amber', 'birch', 'cedar'].map((name) => workspaces(name, 9)));
    for (const name of ['amber', 'birch', 'cedar']) {
      const sha = world.repositories.push(`https://git.example/${name}.git`, 'main', files);
      world.repositories.delays.set(sha, new Promise(() => undefined));
    }
    for (const id of stalled.flat()) {
      await fetch(id);
      await write(id, true);
    }
    await until(() => world.repositories.asked.length >= lanes.fetches.loops - lanes.fetches.reserve);
    await until(() => store.reading >= lanes.local.loops - lanes.local.reserve);

    const [id = ''] = await workspaces('delta', 1);
    world.repositories.push('https://git.example/delta.git', 'main', files);
    const version = await fetch(id);
    const state = await write(id, false);
    await until(async () => (await world.stateOf(version)).status === 'uploaded');
    await until(async () => (await state())?.outputsRead === true);
  });

  it('one organization alone has its share of calls at once, without waiting for the first to end', async () => {
    const ids = await workspaces('amber', lanes.fetches.loops);
    const sha = world.repositories.push('https://git.example/amber.git', 'main', files);
    world.repositories.delays.set(sha, new Promise(() => undefined));
    for (const id of ids) await world.useCases.fetchCommit.execute(owner(), id);
    worker.wake(['fetch-commit']);
    await until(() => world.repositories.asked.length === lanes.fetches.loops - lanes.fetches.reserve);
  });
});
