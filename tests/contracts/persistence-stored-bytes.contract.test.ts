import { expect, it } from '@jest/globals';
import type { StoredFile } from '../../src/application/index.js';
import type { Bundle, RunState, Workspace } from '../../src/domain/index.js';
import { aRun, aStateVersion, noon, unique } from '../support/builders.js';
import { type Ground, onEveryBackend } from './on-every-backend.js';

const aBundle = (): Bundle => ({ key: unique('bundle'), bytes: 3, sha256: 'a'.repeat(64) });

const ofBundle = (of: string, { key, ...known }: Bundle): StoredFile => ({ key, of, known });

/** Two versions with bytes and one without, and a run that has fetched its files, written a state and left a plan. */
async function fill(on: Ground, workspace: Workspace): Promise<readonly StoredFile[]> {
  const expected: StoredFile[] = [];
  for (const status of ['uploaded', 'backing_data_soft_deleted'] as const) {
    const bundle = aBundle();
    const { state } = await on.version(workspace, { status, bundle });
    expected.push(ofBundle(state.id, bundle));
  }
  const { state } = await on.version(workspace, { status: 'archived' });
  const [ownFiles, written, json, left] = [unique('bundle'), aBundle(), aBundle(), aBundle()];
  await on.run(async (tx) => {
    const run = await add({ ownFiles: { key: ownFiles, bytes: 3 } });
    await add({});
    const version = aStateVersion(run);
    await tx.stateVersions.add(version, []);
    await tx.stateVersions.finalize(version, written);
    await tx.stateVersions.keepJson(version.id, json);
    await tx.stateVersions.add(aStateVersion(run, { serial: 2 }), []);
    await tx.runArtifacts.put(run.id, 'plan-file', left);
    const ofState = [ofBundle(version.id, written), ofBundle(version.id, json)];
    expected.push({ key: ownFiles, of: run.id, known: null }, ...ofState, ofBundle(run.id, left));

    async function add(given: Partial<RunState>): Promise<RunState> {
      const sequence = (await tx.runs.takeSequence(workspace.id)).sequence;
      const made = aRun(workspace, state, { status: 'planned_and_finished', ...given, sequence });
      await tx.runs.add(made);
      return made.state;
    }
  });
  return expected;
}

const byKey = (a: StoredFile, b: StoredFile): number => (a.key < b.key ? -1 : 1);

onEveryBackend('what the database says is stored', (on) => {
  it('is the bytes of versions, states, runs and plans, in order of their keys, and none of what is deleted', async () => {
    const organization = await on.organization();
    const [workspace, deleted] = [await on.workspace(organization), await on.workspace(organization)];
    const expected = [...(await fill(on, workspace))].sort(byKey);
    const hidden = await fill(on, deleted);
    await on.run((tx) => tx.workspaces.remove(deleted.id, noon));
    for (const limit of [1, 2, 100]) {
      const found: StoredFile[] = [];
      const page = (after?: string) => on.read((tx) => tx.storedFiles.page(limit, after));
      for (let next = await page(); next.length > 0; next = await page(next.at(-1)?.key)) {
        expect(next.length).toBeLessThanOrEqual(limit);
        found.push(...next);
      }
      expect(found).toEqual(expected);
    }
    for (const { key } of [...expected, ...hidden]) {
      expect(await on.read((tx) => tx.storedFiles.refersTo(key))).toBe(true);
    }
    expect(await on.read((tx) => tx.storedFiles.refersTo('bundle-nobody'))).toBe(false);
  });
});
