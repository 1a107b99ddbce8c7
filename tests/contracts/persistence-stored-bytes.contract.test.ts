import { expect, it } from '@jest/globals';
import type { Bundle } from '../../src/domain/index.js';
import { aRun, noon, unique } from '../support/builders.js';
import { onEveryBackend } from './on-every-backend.js';

const aBundle = (): Bundle => ({ key: unique('bundle'), bytes: 3, sha256: 'a'.repeat(64) });

interface Found {
  readonly id: string;
}

/** All that `part` answers, asked for `limit` at a time. */
const walk = async <Item extends Found>(
  limit: number,
  part: (limit: number, after?: string) => Promise<readonly Item[]>,
): Promise<readonly Item[]> => {
  const found: Item[] = [];
  for (let next = await part(limit); next.length > 0; next = await part(limit, next.at(-1)?.id)) {
    expect(next.length).toBeLessThanOrEqual(limit);
    found.push(...next);
  }
  return found;
};

const byId = (a: Found, b: Found): number => (a.id < b.id ? -1 : 1);

onEveryBackend('what the database says is stored', (on) => {
  it('is every version that has bytes, whatever its status, and none of what is deleted', async () => {
    const organization = await on.organization();
    const [workspace, deleted] = [await on.workspace(organization), await on.workspace(organization)];
    const expected = [];
    for (const status of ['uploaded', 'uploaded', 'backing_data_soft_deleted'] as const) {
      const { state } = await on.version(workspace, { status, bundle: aBundle() });
      expected.push({ id: state.id, bundle: state.bundle });
    }
    for (const status of ['pending', 'archived'] as const) await on.version(workspace, { status });
    await on.version(deleted, { status: 'uploaded', bundle: aBundle() });
    await on.run((tx) => tx.workspaces.remove(deleted.id, noon));
    for (const limit of [1, 2, 100]) {
      const found = await walk(limit, (...asked) => on.read((tx) => tx.configurationVersions.storedBundles(...asked)));
      expect(found).toEqual(expected.sort(byId));
    }
  });

  it('is every run that fetched bytes for itself, and none of what is deleted', async () => {
    const organization = await on.organization();
    const expected: Found[] = [];
    for (const hidden of [false, false, true]) {
      const workspace = await on.workspace(organization);
      const { state: version } = await on.version(workspace);
      for (const ownFiles of [unique('bundle'), null]) {
        const run = aRun(workspace, version, { status: 'planned_and_finished', ownFiles });
        await on.run(async (tx) => {
          const sequence = await tx.runs.takeSequence(workspace.id);
          await tx.runs.add(aRun(workspace, version, { ...run.state, sequence }));
        });
        if (ownFiles !== null && !hidden) expected.push({ id: run.state.id, ...{ key: ownFiles } });
      }
      if (hidden) await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    }
    for (const limit of [1, 100]) {
      const found = await walk(limit, (...asked) => on.read((tx) => tx.runs.storedFiles(...asked)));
      expect(found).toEqual(expected.sort(byId));
    }
  });
});
