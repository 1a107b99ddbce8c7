import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { keepState } from '../../src/application/supporting/state-versions/state-writing.js';
import { World } from '../support/application.js';
import { aBundle, aStateVersion } from '../support/builders.js';

const many = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, at) => item(at)).join();

const resource = (members: string): string =>
  `{"mode":"managed","type":"a","name":"b","provider":"p",${members},"instances":[{}]}`;

/** Stores a state with these bytes, performs the ordered effects, and returns the parts that are shown. */
async function shownOf(text: string) {
  const world = await World.create();
  const { workspace, owner, useCases } = world;
  const draft = { source: 'client', runId: null, outputsRead: false } as const;
  const version = aStateVersion({ workspaceId: workspace.id, id: 'run-none' }, draft);
  const bundle = { ...aBundle(), bytes: text.length };
  await world.store.write(bundle.key, Readable.from([Buffer.from(text)]));
  await world.store.keep(bundle.key);
  await world.unitOfWork.run(async (tx) => {
    await tx.stateVersions.add(version, []);
    await keepState(tx, version, bundle);
  });
  const shown = () => useCases.showStateVersion.execute(owner, { workspaceId: workspace.id });
  expect((await shown()).contents).toBeUndefined();
  expect(await useCases.performEffects.execute('local')).toEqual({ done: 1, failures: [], aside: [] });
  expect(world.ordered).toEqual([]);
  const { contents, outputIds, version: current } = await shown();
  expect(current).toMatchObject({ id: version.id, status: 'finalized', bundle, outputsRead: true });
  return { ...contents, outputs: outputIds.length };
}

describe('a state that is made to end the service', () => {
  it.each([
    [
      'far too many outputs without names',
      `{"outputs":{${many(50_000, () => '"":{}')}},"resources":[${resource('"x":0')}]}`,
      { outputs: 0, resourceCount: 1, warnings: [expect.stringContaining('50000 outputs are left out')] },
    ],
    [
      'far too many outputs',
      `{"outputs":{${many(5000, (at) => `"o${at}":{"value":${at},"type":"number"}`)}},"resources":[${resource('"x":0')}]}`,
      { outputs: 1000, resourceCount: 1, warnings: ['4000 outputs are left out: beyond the first 1000'] },
    ],
    [
      'a resource of far too many members',
      `{"outputs":{},"resources":[${resource(many(50_000, (at) => `"${at}":0`))}]}`,
      { outputs: 0, resourceCount: 1, warnings: [] },
    ],
    [
      'far too many levels',
      `{"outputs":{"a":{"value":1,"type":"number"}},"resources":${'['.repeat(50_000)}`,
      { outputs: 1, resourceCount: 0, warnings: [expect.stringContaining('10000 levels')] },
    ],
  ])('is current and read once, with %s', async (_, text, expected) => {
    expect(await shownOf(text)).toMatchObject(expected);
  });
});
