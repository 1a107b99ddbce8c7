import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  effectLeaseSeconds,
  type FailingEffect,
  type Lane,
  neverEnded,
  type Transaction,
} from '../../src/application/index.js';
import type { TaskResult } from '../../src/domain/index.js';
import { firstPage, missing, UncertainUnitOfWork, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { MemoryBundleStore } from '../support/memory-bundle-store.js';
import { RunSteps } from '../support/run-steps.js';

const files = await archiveOf({ 'main.tf': 'terraform {}' });
const cloneUrl = 'https://git.example/acme/network.git';
const repository = { cloneUrl, branch: 'main', credential: null };
const because = expect.stringContaining('the process ended during 5 attempts in a row');

let world: World;
beforeEach(async () => {
  world = await World.create();
  world.repositories.push(cloneUrl, 'main', files);
});

const failing = async (): Promise<readonly FailingEffect[]> =>
  (await world.useCases.listFailingEffects.execute(world.administrator, firstPage)).items;

/** A process takes what is due, and dies before its attempt ends. */
async function die(lane: Lane): Promise<number> {
  const { effects } = await world.processBeside().performEffects.claim(lane);
  world.clock.advance(effectLeaseSeconds);
  return effects.length;
}

/** Attempts beyond the second are made one at a time. */
async function dieInEveryAttempt(lane: Lane): Promise<void> {
  for (let attempt = 1; attempt <= neverEnded.max; attempt += 1) {
    expect(await die(attempt <= neverEnded.alone ? lane : 'alone')).toBe(1);
    expect(await failing()).toEqual([]);
  }
}

async function putAside(lane: Lane): Promise<FailingEffect> {
  await dieInEveryAttempt(lane);
  expect(await world.useCases.performEffects.execute('alone')).toMatchObject({ done: 0, failures: [], aside: [{}] });
  const [effect, ...others] = await failing();
  expect(others).toEqual([]);
  expect(effect).toMatchObject({ status: 'put_aside', lastError: because, notBefore: null });
  world.clock.advance(100 * effectLeaseSeconds);
  expect(await world.useCases.performEffects.lanesDue()).toEqual([]);
  return effect as FailingEffect;
}

const retry = ({ id }: FailingEffect) => world.useCases.retryEffect.execute(world.administrator, String(id));

/** The retry ends with nothing left to do. */
async function retryInVain(effect: FailingEffect): Promise<void> {
  expect(await retry(effect)).toMatchObject({ status: 'retrying', notBefore: null });
  await world.performEffects();
  expect(await failing()).toEqual([]);
  expect(world.ordered).toEqual([]);
}

const orderFetch = async () => {
  await world.useCases.updateWorkspace.execute(world.owner, { id: world.workspace.id }, { repository });
  return (await world.useCases.fetchCommit.execute(world.owner, world.workspace.id)).id;
};

async function orderCall(): Promise<() => Promise<readonly TaskResult[]>> {
  const steps = await RunSteps.of(world);
  await world.uploadedVersion(files);
  const { id: taskId } = await world.useCases.createRunTask.execute(world.owner, 'acme', {
    ...{ name: 'scanner', url: 'https://scanner.example/check', description: '', enabled: true, hmacKey: null },
  });
  const settings = { taskId, stages: ['pre_plan'], enforcementLevel: 'mandatory' } as const;
  await world.useCases.addWorkspaceTask.execute(world.owner, world.workspace.id, settings);
  const { id } = await steps.create();
  return async () => (await world.unitOfWork.read((tx) => tx.taskStages.ofRun(id))).flatMap(({ results }) => results);
}

/** A client writes a state with one output. */
async function writeState() {
  const { owner, workspace, useCases } = world;
  const outputs = { size: { value: 5, type: 'number' } };
  const state = Buffer.from(JSON.stringify({ version: 4, serial: 1, lineage: 'lineage-1', outputs, resources: [] }));
  const md5 = createHash('md5').update(state).digest('hex');
  await useCases.changeWorkspaceLock.execute(owner, workspace.id, { action: 'lock', reason: null });
  await useCases.createStateVersion.execute(owner, {
    workspaceId: workspace.id,
    ...{ serial: 1, lineage: 'lineage-1', md5, force: false, runId: undefined, state, jsonState: undefined },
  });
  const current = async () => world.unitOfWork.read((tx) => tx.stateVersions.current(workspace.id));
  const id = (await current())?.id ?? '';
  return { outputs: () => useCases.listStateOutputs.execute(owner, id, { number: 1, size: 20 }), current };
}

describe('an effect whose process dies in five attempts in a row', () => {
  it('makes its configuration version errored, and does not hold up the next one of its workspace', async () => {
    const id = await orderFetch();
    const effect = await putAside('fetches');
    expect(await world.stateOf(id)).toMatchObject({
      status: 'errored',
      failure: { error: 'fetch-failed', errorMessage: because },
    });
    const next = await world.useCases.fetchCommit.execute(world.owner, world.workspace.id);
    await world.performEffects();
    expect((await world.stateOf(next.id)).status).toBe('uploaded');
    await retryInVain(effect);
    expect((await world.stateOf(id)).status).toBe('errored');
  });

  it('makes its run errored', async () => {
    const steps = await RunSteps.of(world);
    const id = await orderFetch();
    await world.performEffects();
    await steps.plan(false);
    await world.performEffects();
    expect((await world.stateOf(id)).status).toBe('archived');
    const run = await steps.create();
    expect(run.status).toBe('fetching');
    const effect = await putAside('fetches');
    expect(await steps.stateOf(run.id)).toMatchObject({ status: 'errored', failure: because });
    await retryInVain(effect);
    expect(await steps.statusOf(run.id)).toBe('errored');
  });

  it('makes its policy set version errored', async () => {
    const kept = { policyToolVersion: null, agentEnabled: false, updatePatterns: [], policiesPath: null };
    const settings = { name: 'linked', description: null, kind: 'opa', policies: [], ...kept } as const;
    const given = { ...settings, global: false, overridable: false, repository };
    const set = await world.useCases.createPolicySet.execute(world.owner, 'acme', given);
    const newestId = set.versions?.newest.id ?? '';
    const newest = async () => (await world.useCases.showPolicySetVersion.execute(world.owner, newestId)).version;
    const effect = await putAside('fetches');
    expect(await newest()).toMatchObject({ status: 'errored', failure: { errorMessage: because } });
    await retryInVain(effect);
    expect((await newest()).status).toBe('errored');
  });

  it('makes its task result errored, and is not called again', async () => {
    const results = await orderCall();
    const effect = await putAside('calls');
    expect(await results()).toMatchObject([{ status: 'errored', message: because, deadline: null }]);
    await retryInVain(effect);
    expect(world.runTasks.calls).toEqual([]);
  });

  it('leaves the outputs of its state unread, with the reason, until a retry reads them', async () => {
    const { outputs, current } = await writeState();
    await expect(outputs()).rejects.toMatchObject({ code: 'state-version/outputs-unread' });
    const effect = await putAside('local');
    await expect(outputs()).rejects.toMatchObject({ code: 'state-version/outputs-errored', message: because });
    expect(await current()).toMatchObject({ unreadReason: because });
    await retryInVain(effect);
    expect((await outputs()).rows.items).toMatchObject([{ name: 'size', value: '5' }]);
    expect(await current()).toMatchObject({ unreadReason: null });
  });

  it('is only reported where nothing waits for it: rows are removed once it is retried', async () => {
    await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
    const effect = await putAside('local');
    expect(world.remembers(world.workspace.id)).toBe(true);
    await retryInVain(effect);
    expect(world.remembers(world.workspace.id)).toBe(false);
  });

  it('is counted for monitoring', async () => {
    await orderFetch();
    await putAside('fetches');
    expect((await world.useCases.takeSnapshot.execute()).effects).toMatchObject([
      { lane: 'fetches', state: 'aside', count: 1 },
    ]);
  });

  it('is retried by site administrators alone, and recorded', async () => {
    await orderFetch();
    const effect = await putAside('fetches');
    const { useCases, owner, administrator } = world;
    await world.refuses(() => useCases.listFailingEffects.execute(owner, firstPage), { code: 'resource/not-found' });
    for (const id of [effect.id, effect.id + 1]) {
      await world.refuses(() => useCases.retryEffect.execute(owner, String(id)), { code: 'resource/not-found' });
    }
    for (const id of ['0', '-1', '1.5', 'one', '9'.repeat(30), String(effect.id + 1)]) {
      await world.refuses(() => useCases.retryEffect.execute(administrator, id), missing);
    }
    await retry(effect);
    const all = { action: undefined, actorId: undefined, since: undefined, until: undefined, oldestFirst: false };
    const part = { after: undefined, limit: 1 };
    const { items } = await useCases.listSiteAuditEvents.execute(administrator, undefined, all, part);
    expect(items).toMatchObject([{ action: 'effects/retry', subject: String(effect.id), outcome: 'done' }]);
  });

  it('begins to count again with an attempt that ends, well or badly', async () => {
    const id = await orderFetch();
    world.repositories.broken = new Error('the disk is full');
    for (let round = 0; round < 3; round += 1) {
      for (let attempt = 1; attempt < neverEnded.max; attempt += 1) {
        await die(attempt <= neverEnded.alone ? 'fetches' : 'alone');
      }
      expect((await world.useCases.performEffects.execute('alone')).failures).toHaveLength(1);
      world.clock.advance(600);
    }
    world.repositories.broken = undefined;
    await world.performEffects();
    expect((await world.stateOf(id)).status).toBe('uploaded');
  });
});

describe('attempts that do not count', () => {
  it('are those that a process gives back as it stops in order', async () => {
    const id = await orderFetch();
    for (let turn = 0; turn < 2 * neverEnded.max; turn += 1) {
      const stopping = world.processBeside().performEffects;
      expect((await stopping.claim('fetches')).effects).toHaveLength(1);
      await stopping.release();
    }
    const halted = world.processBeside().performEffects;
    halted.halt();
    for (let turn = 0; turn < 2 * neverEnded.max; turn += 1) await halted.execute('fetches');
    await world.performEffects();
    expect((await world.stateOf(id)).status).toBe('uploaded');
    expect(await failing()).toEqual([]);
  });

  it('are those of a store that is away for ten minutes: local work is repeated until it is there', async () => {
    class AwayStore extends MemoryBundleStore {
      away = false;
      override async read(...given: Parameters<MemoryBundleStore['read']>) {
        if (this.away) throw new Error('the store is unavailable');
        return super.read(...given);
      }
    }
    const stores: AwayStore[] = [];
    world = await World.create({
      store: (now) => {
        const store = new AwayStore(now);
        stores.push(store);
        return store;
      },
    });
    const [store] = stores;
    if (store === undefined) throw new Error('no store was made');
    const { outputs } = await writeState();
    store.away = true;
    let attempts = 0;
    for (let second = 0; second < 600; second += 1) {
      attempts += (await world.useCases.performEffects.execute('local')).failures.length;
      world.clock.advance(1);
    }
    expect(attempts).toBeGreaterThan(neverEnded.max);
    expect(await failing()).toMatchObject([
      { status: 'retrying', attempts, lastError: 'Error: the store is unavailable' },
    ]);
    store.away = false;
    world.clock.advance(600);
    await world.performEffects();
    expect((await outputs()).rows.items).toMatchObject([{ name: 'size' }]);
  });

  it('are those whose end the database could not record, once it is there again', async () => {
    class Forgetful extends UncertainUnitOfWork {
      away = false;
      override run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
        const failed = async () => {
          throw new Error('the database is unavailable');
        };
        const within = (tx: Transaction) => ({
          ...tx,
          effects: Object.assign(Object.create(tx.effects) as typeof tx.effects, { done: failed, failed }),
        });
        return super.run((tx) => work(this.away ? within(tx) : tx));
      }
    }
    const rows = new Forgetful();
    world = await World.create({ unitOfWork: rows });
    world.repositories.push(cloneUrl, 'main', files);
    const id = await orderFetch();
    rows.away = true;
    for (let turn = 0; turn < 2 * neverEnded.max; turn += 1) {
      await expect(world.useCases.performEffects.execute('fetches')).rejects.toThrow('the database is unavailable');
    }
    rows.away = false;
    const { performEffects } = world.useCases;
    const batch = await performEffects.claim('fetches');
    expect((await performEffects.claim('fetches')).effects).toEqual([]);
    await performEffects.perform(batch);
    await world.performEffects();
    expect((await world.stateOf(id)).status).toBe('uploaded');
  });
});

describe('an effect that is in hand with one that ends the process', () => {
  it('is not put aside with it, though it was in hand each time', async () => {
    await world.useCases.updateWorkspace.execute(world.owner, { id: world.workspace.id }, { repository });
    const other = await world.newWorkspace('storage');
    await world.useCases.updateWorkspace.execute(world.owner, { id: other.id }, { repository });
    const poison = await world.useCases.fetchCommit.execute(world.owner, world.workspace.id);
    const innocent = await world.useCases.fetchCommit.execute(world.owner, other.id);
    for (let death = 0; death < 2 * neverEnded.max; death += 1) {
      const { performEffects } = world.processBeside();
      const claimed = [
        await performEffects.claim('fetches'),
        await performEffects.claim('fetches'),
        await performEffects.claim('alone'),
      ];
      const isPoison = (batch: (typeof claimed)[number]) =>
        batch.effects.some(({ effect }) => 'versionId' in effect && effect.versionId === poison.id);
      // It ends the process as soon as it begins; what is alone in its lane has time to end before it is claimed.
      if (claimed.some(isPoison) && claimed.every(({ effects }) => (effects[0]?.begun ?? 0) <= neverEnded.max)) {
        world.clock.advance(effectLeaseSeconds);
        continue;
      }
      for (const batch of claimed) await performEffects.perform(batch);
      world.clock.advance(effectLeaseSeconds);
    }
    expect((await world.stateOf(poison.id)).status).toBe('errored');
    expect((await world.stateOf(innocent.id)).status).toBe('uploaded');
    expect((await failing()).map(({ status }) => status)).toEqual(['put_aside']);
  });
});
