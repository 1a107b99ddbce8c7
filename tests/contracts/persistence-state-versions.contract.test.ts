import { describe, expect, it } from '@jest/globals';
import { sealPrefix } from '../../src/application/index.js';
import type { Actor, RunState, StateOutput, StateVersion, Workspace } from '../../src/domain/index.js';
import { aBundle, aRun, aStateOutput, aStateVersion, noon, unique } from '../support/builders.js';
import { type Ground, onEveryBackend, refusal } from './on-every-backend.js';

interface Place {
  readonly workspace: Workspace;
  readonly run: RunState;
}

/** A workspace with a run. */
async function aPlace(on: Ground): Promise<Place> {
  const workspace = await on.workspace(await on.organization());
  return { workspace, run: await anotherRun(on, workspace) };
}

async function anotherRun(on: Ground, workspace: Workspace): Promise<RunState> {
  const { state: version } = await on.version(workspace);
  return on.run(async (tx) => {
    const sequence = (await tx.runs.takeSequence(workspace.id)).sequence;
    const run = aRun(workspace, version, { status: 'planned_and_finished', sequence });
    await tx.runs.add(run);
    return run.state;
  });
}

async function add(on: Ground, run: RunState, given: Partial<StateVersion> = {}, outputs: readonly StateOutput[] = []) {
  const version = aStateVersion(run, given);
  const its = outputs.map((output) => ({ ...output, stateVersionId: version.id }));
  await on.run((tx) => tx.stateVersions.add(version, its));
  return { version, outputs: its };
}

/** Adds a state version that a client announces. */
const addOfClient = (on: Ground, { id: workspaceId }: Workspace, given: Partial<StateVersion> = {}) =>
  add(on, { id: '', workspaceId } as RunState, { source: 'client', runId: null, outputsRead: false, ...given });

/** Returns the version as it then is. */
async function finalize(on: Ground, version: StateVersion): Promise<StateVersion> {
  const bundle = { ...aBundle(), bytes: version.size };
  await on.run((tx) => tx.stateVersions.finalize(version, bundle));
  return { ...version, status: 'finalized', bundle };
}

const find = (on: Ground, { id }: StateVersion) => on.read((tx) => tx.stateVersions.find(id));
const current = (on: Ground, { id }: Workspace) => on.read((tx) => tx.stateVersions.current(id));

onEveryBackend('state versions', (on) => {
  it('are the current one from when they are finalized until the next one is', async () => {
    const { workspace, run } = await aPlace(on);
    expect(await current(on, workspace)).toBeUndefined();
    const { version: first } = await add(on, run, { serial: 3 });
    expect(await current(on, workspace)).toBeUndefined();
    const finalized = await finalize(on, first);
    expect(await current(on, workspace)).toEqual(finalized);
    const { version: second } = await add(on, run, { serial: 20 });
    expect(await current(on, workspace)).toEqual(finalized);
    const newer = await finalize(on, second);
    expect(await current(on, workspace)).toEqual(newer);
    expect(await current(on, (await aPlace(on)).workspace)).toBeUndefined();
    const { version: again } = await addOfClient(on, workspace, { serial: 3, rollbackOf: first.id });
    const repeated = await finalize(on, again);
    expect(await current(on, workspace)).toEqual(repeated);
    const { items } = await on.read((tx) => tx.stateVersions.page(workspace.id, { number: 1, size: 5 }));
    expect(items).toEqual([repeated, newer, finalized]);
    const contents = { terraformVersion: '1.9.0', resourceCount: 2, resources: [], warnings: [] };
    const resources = [{ name: 'a', type: 'b', module: 'root', provider: 'p', count: 2 }];
    await on.run((tx) => tx.stateVersions.keepContents(newer.id, { ...contents, resources }));
    const { version: unfinished } = await add(on, run, { serial: 30 });
    const among = () => on.read((tx) => tx.stateVersions.among([newer.id, first.id, unfinished.id, 'sv-none']));
    expect(new Set(await among())).toEqual(
      new Set([
        { version: newer, contents },
        { version: finalized, contents: undefined },
      ]),
    );
    expect(await on.read((tx) => tx.stateVersions.among([]))).toEqual([]);
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    expect(await current(on, workspace)).toBeUndefined();
    expect(await find(on, newer)).toBeUndefined();
    expect(await among()).toEqual([]);
  });

  it('are pending one to a workspace where a client announced them, in addition to those of its runs', async () => {
    const { workspace, run } = await aPlace(on);
    const pending = () => on.read((tx) => tx.stateVersions.pendingOfClient(workspace.id));
    expect(await pending()).toBeUndefined();
    const { version: ofAgent } = await add(on, run);
    const { version } = await addOfClient(on, workspace, { runId: run.id });
    expect(await pending()).toEqual(version);
    expect(await on.read((tx) => tx.stateVersions.pending(run.id))).toEqual(ofAgent);
    await expect(addOfClient(on, workspace)).rejects.toThrow();
    await on.run((tx) => tx.stateVersions.dropPending(run.id));
    expect(await pending()).toEqual(version);
    const { version: announced } = await add(on, run);
    await on.run((tx) => tx.stateVersions.dropPendingOfClient(workspace.id));
    expect(await pending()).toBeUndefined();
    expect(await find(on, announced)).toEqual(announced);
    const kept = await finalize(on, (await addOfClient(on, workspace)).version);
    await on.run((tx) => tx.stateVersions.dropPendingOfClient(workspace.id));
    expect(await find(on, kept)).toEqual(kept);
  });

  it('keep a JSON form, and outputs once', async () => {
    const { workspace } = await aPlace(on);
    const { version } = await addOfClient(on, workspace);
    const jsonBundle = aBundle();
    await on.run((tx) => tx.stateVersions.keepJson(version.id, jsonBundle));
    const finalized = await finalize(on, version);
    expect(await find(on, version)).toEqual({ ...finalized, jsonBundle });
    const output = aStateOutput(version);
    await on.run((tx) => tx.stateVersions.keepOutputs(version.id, [output]));
    expect(await find(on, version)).toEqual({ ...finalized, jsonBundle, outputsRead: true });
    expect(await on.read((tx) => tx.stateOutputs.listed(version.id))).toEqual([{ id: output.id, name: output.name }]);
    const more = [aStateOutput(version)];
    const twice = on.run((tx) => tx.stateVersions.keepOutputs(version.id, more));
    await expect(twice).rejects.toEqual(refusal('shared/stale-revision'));
    expect(await on.read((tx) => tx.stateOutputs.listed(version.id))).toEqual([{ id: output.id, name: output.name }]);
    const gone = on.run((tx) => tx.stateVersions.keepJson('sv-none', aBundle()));
    await expect(gone).rejects.toEqual(refusal('shared/stale-revision'));
  });

  it('keep outputs in parts, which are hidden until the last one, and each name once', async () => {
    const { workspace } = await aPlace(on);
    const { version } = await addOfClient(on, workspace);
    await finalize(on, version);
    const [first, again, last] = ['a', 'a', 'b'].map((name) => aStateOutput(version, { name }));
    if (first === undefined || again === undefined || last === undefined) throw new Error('three outputs were made');
    const ids = async () => (await on.read((tx) => tx.stateOutputs.listed(version.id))).map(({ id }) => id);
    await on.run((tx) => tx.stateVersions.addOutputs(version.id, [first]));
    await on.run((tx) => tx.stateVersions.addOutputs(version.id, [again]));
    expect(await ids()).toEqual([]);
    const organization = { kind: 'organization', organizationId: workspace.organizationId, tokenId: 'at-1' } as Actor;
    const seen = () => on.read((tx) => tx.stateOutputs.findFor(organization, first.id));
    expect(await seen()).toBeUndefined();
    await on.run((tx) => tx.stateVersions.keepOutputs(version.id, [last]));
    expect(await ids()).toEqual([first.id, last.id]);
    expect((await seen())?.subject).toEqual(first);
    const late = on.run((tx) => tx.stateVersions.addOutputs(version.id, [aStateOutput(version)]));
    await expect(late).rejects.toEqual(refusal('shared/stale-revision'));
  });

  it('are pending one to a run, until that is dropped', async () => {
    const { workspace, run } = await aPlace(on);
    const other = await anotherRun(on, workspace);
    const pending = (of: RunState) => on.read((tx) => tx.stateVersions.pending(of.id));
    const { version } = await add(on, run, {}, [aStateOutput({ id: '' })]);
    const { version: neighbour } = await add(on, other, { serial: 2 }, [aStateOutput({ id: '' })]);
    expect(await pending(run)).toEqual(version);
    await expect(add(on, run)).rejects.toThrow();
    await on.run((tx) => tx.stateVersions.dropPending(run.id));
    expect(await pending(run)).toBeUndefined();
    expect(await pending(other)).toEqual(neighbour);
    const kept = await finalize(on, (await add(on, run, { serial: 9 })).version);
    await on.run((tx) => tx.stateVersions.dropPending(run.id));
    expect(await find(on, kept)).toEqual(kept);
    expect(await pending(run)).toBeUndefined();
  });

  it('are finalized once', async () => {
    const { run } = await aPlace(on);
    const { version } = await add(on, run);
    const finalized = await finalize(on, version);
    await expect(finalize(on, version)).rejects.toEqual(refusal('shared/stale-revision'));
    expect(await find(on, version)).toEqual(finalized);
    await expect(finalize(on, aStateVersion(run))).rejects.toEqual(refusal('shared/stale-revision'));
  });

  it('are listed newest first, a page at a time, without the pending ones', async () => {
    const { workspace, run } = await aPlace(on);
    const made: StateVersion[] = [];
    for (const serial of [1, 5, 6, 40, 41]) {
      made.unshift(await finalize(on, (await add(on, run, { serial })).version));
    }
    await add(on, run, { serial: 50 });
    const page = (number: number, size: number) =>
      on.read((tx) => tx.stateVersions.page(workspace.id, { number, size }));
    expect(await page(1, 20)).toEqual({ number: 1, size: 20, total: 5, items: made });
    expect((await page(2, 2)).items).toEqual(made.slice(2, 4));
    expect(await page(4, 2)).toEqual({ number: 4, size: 2, total: 5, items: [] });
    const { workspace: empty } = await aPlace(on);
    expect(await on.read((tx) => tx.stateVersions.page(empty.id, { number: 1, size: 2 }))).toMatchObject({ total: 0 });
  });

  it('are found with the standing of a caller, and those of agents only when they are finalized', async () => {
    const { workspace, run } = await aPlace(on);
    const organization = { kind: 'organization', organizationId: workspace.organizationId, tokenId: 'at-1' } as Actor;
    const { version, outputs } = await add(on, run, {}, [aStateOutput({ id: '' })]);
    const seen = () => on.read((tx) => tx.stateVersions.findFor(organization, version.id));
    const seenOutput = () => on.read((tx) => tx.stateOutputs.findFor(organization, outputs[0]?.id ?? ''));
    expect(await seen()).toBeUndefined();
    expect(await seenOutput()).toBeUndefined();
    const { version: ofClient } = await addOfClient(on, workspace);
    const seenOfClient = await on.read((tx) => tx.stateVersions.findFor(organization, ofClient.id));
    expect(seenOfClient).toMatchObject({ subject: ofClient, standing: { actor: 'organization' } });
    const finalized = await finalize(on, version);
    expect(await seen()).toMatchObject({ subject: finalized, standing: { actor: 'organization', member: true } });
    expect(await seenOutput()).toMatchObject({
      subject: outputs[0],
      standing: { actor: 'organization', member: true },
    });
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    expect(await seen()).toBeUndefined();
    expect(await seenOutput()).toBeUndefined();
  });
});

onEveryBackend('outputs of states', (on) => {
  const names = ['B', 'a', 'a_long', 'z', 'Ä'];

  it('come back as they were, in bytewise order of name', async () => {
    const { run } = await aPlace(on);
    const types = ['string', ['list', 'number'], ['object', { a: 'bool' }], 'dynamic', ['tuple', []]].map((type) =>
      JSON.stringify(type),
    );
    const given = names.map((name, index) =>
      aStateOutput(
        { id: '' },
        { name, type: types[index] ?? '', sensitive: index === 1, value: JSON.stringify([index, 'ü']) },
      ),
    );
    const { version, outputs } = await add(on, run, {}, given.toReversed());
    const listed = () => on.read((tx) => tx.stateOutputs.listed(version.id));
    expect(await listed()).toEqual([]);
    await finalize(on, version);
    const inOrder = names.map((name) => outputs.find((output) => output.name === name));
    expect(await listed()).toEqual(inOrder.map((output) => ({ id: output?.id, name: output?.name })));
    const slice = (after?: string, characters = 1000) =>
      on.read((tx) => tx.stateOutputs.slice(version.id, after, { rows: 3, characters }));
    expect(await slice()).toEqual({ items: inOrder.slice(0, 3), last: { name: 'a_long', tie: version.id } });
    expect(await slice('a_long')).toEqual({ items: inOrder.slice(3), last: undefined });
    expect(await slice('z')).toEqual({ items: inOrder.slice(4), last: undefined });
    expect(await slice('Ä')).toEqual({ items: [], last: undefined });
    // Each value is `[0,"ü"]` or similar, and the two types have 8 and 17 characters.
    const short = { items: inOrder.slice(0, 2), last: { name: 'a', tie: version.id } };
    expect(await slice(undefined, 39)).toEqual(short);
    expect(await slice(undefined, 38)).toEqual({ items: inOrder.slice(0, 1), last: { name: 'B', tie: version.id } });
    expect((await slice(undefined, 1)).items).toHaveLength(1);
  });

  it('may be a thousand', async () => {
    const { run } = await aPlace(on);
    const many = Array.from({ length: 1000 }, (_, index) => aStateOutput({ id: '' }, { name: `o${index}` }));
    const { version } = await add(on, run, {}, many);
    await finalize(on, version);
    expect(await on.read((tx) => tx.stateOutputs.listed(version.id))).toHaveLength(1000);
  });

  it('are found by the key they are sealed with, and sealed again', async () => {
    const { run } = await aPlace(on);
    const key = unique('key');
    const sealed = (by: string) => `${sealPrefix(by)}text`;
    const { outputs } = await add(on, run, {}, [
      aStateOutput({ id: '' }, { sensitive: true, value: sealed(`${key}-b`) }),
      aStateOutput({ id: '' }, { sensitive: true, value: sealed(`${key}-a`) }),
      aStateOutput({ id: '' }, { sensitive: true, value: sealed(`${key}-c`) }),
      aStateOutput({ id: '' }, { value: '"plain"' }),
    ]);
    const ids = outputs.map(({ id }) => id);
    const others = async (by: string) => {
      const found = await on.read((tx) => tx.stateOutputs.sealedWithOtherKeys(by, '', 10_000));
      return found.filter(({ id }) => ids.includes(id)).map(({ id }) => id);
    };
    const [first = '', second = '', third = ''] = ids;
    expect(await others(`${key}-b`)).toEqual([second, third].sort());
    expect(await others(`${key}-x`)).toEqual([first, second, third].sort());
    await on.run((tx) => tx.stateOutputs.reseal(second, sealed(`${key}-b`)));
    expect(await others(`${key}-b`)).toEqual([third]);
    expect(await on.read((tx) => tx.stateOutputs.sealedWithOtherKeys(`${key}-b`, third, 10_000))).not.toContainEqual(
      expect.objectContaining({ id: third }),
    );
  });
});

onEveryBackend('what plans leave', (on) => {
  describe('of one run', () => {
    it('is kept by name, replaced and dropped, each time telling what nothing refers to any more', async () => {
      const { workspace, run } = await aPlace(on);
      const other = await anotherRun(on, workspace);
      const [file, json, again, theirs] = [aBundle(), aBundle(), aBundle(), aBundle()];
      const found = (name: 'plan-file' | 'plan-json', of = run) => on.read((tx) => tx.runArtifacts.find(of.id, name));
      await on.run(async (tx) => {
        expect(await tx.runArtifacts.put(run.id, 'plan-file', file)).toBeNull();
        expect(await tx.runArtifacts.put(run.id, 'plan-json', json)).toBeNull();
        expect(await tx.runArtifacts.put(other.id, 'plan-file', theirs)).toBeNull();
        expect(await tx.runArtifacts.put(run.id, 'plan-file', again)).toBe(file.key);
      });
      expect(await found('plan-file')).toEqual(again);
      expect(await found('plan-json')).toEqual(json);
      expect(await on.run((tx) => tx.runArtifacts.drop(run.id, 'plan-file'))).toEqual([again.key]);
      expect(await on.run((tx) => tx.runArtifacts.drop(run.id, 'plan-file'))).toEqual([]);
      expect(await on.run((tx) => tx.runArtifacts.drop(run.id))).toEqual([json.key]);
      expect(await found('plan-json')).toBeUndefined();
      expect(await found('plan-file', other)).toEqual(theirs);
      await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
      expect(await found('plan-file', other)).toBeUndefined();
    });
  });
});
