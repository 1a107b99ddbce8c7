import { expect, it } from '@jest/globals';
import { FixedClock } from '../../src/adapters/system/fixed-clock.js';
import { ArchiveOldVersions, type UnitOfWork } from '../../src/application/index.js';
import { afterNoon, aRun, changed, noon } from '../support/builders.js';
import { onEveryBackend } from './on-every-backend.js';

const bundle = { key: 'bundle-1', bytes: 3, sha256: 'a'.repeat(64) };
const uploadedAt = (createdAt: string) => ({ status: 'uploaded', createdAt, bundle }) as const;

onEveryBackend('uploaded versions', (on) => {
  it('are walked through by age and id, in parts, and none is met twice or left out', async () => {
    const organization = await on.organization();
    const workspaces = [await on.workspace(organization), await on.workspace(organization)];
    // Several of one age, put there in no order.
    for (const second of [3, 1, 2, 1, 3]) {
      for (const workspace of workspaces) await on.version(workspace, uploadedAt(afterNoon(second)));
    }
    const walk = async (limit: number, after?: { createdAt: string; id: string }): Promise<string[]> => {
      const found = await on.read((tx) => tx.configurationVersions.uploaded(afterNoon(3), limit, after));
      const last = found.at(-1);
      const places = found.map(({ state }) => `${state.createdAt} ${state.id}`);
      return last === undefined ? [] : [...places, ...(await walk(limit, last.state))];
    };
    const whole = await walk(100);
    expect(whole).toHaveLength(6);
    expect(whole).toEqual([...whole].sort());
    expect(await walk(1)).toEqual(whole);
    expect(await walk(4)).toEqual(whole);
  });

  it('do not include those in another state, younger ones, or what is deleted', async () => {
    const organization = await on.organization();
    const [workspace, deleted] = [await on.workspace(organization), await on.workspace(organization)];
    const before = '2029-01-01T00:00:00.000Z';
    const old = '2028-01-01T00:00:00.000Z';
    const found = await on.version(workspace, uploadedAt(old));
    await on.version(workspace, uploadedAt(before));
    for (const status of ['pending', 'archived', 'errored', 'backing_data_soft_deleted'] as const) {
      await on.version(workspace, { status, createdAt: old });
    }
    await on.version(deleted, uploadedAt(old));
    await on.run((tx) => tx.workspaces.remove(deleted.id, noon));
    const seen = await on.read((tx) => tx.configurationVersions.uploaded(before, 100));
    expect(seen.map(({ state }) => state)).toEqual([found.state]);
    await on.run((tx) => tx.configurationVersions.save(changed(found, { status: 'archived', bundle: null })));
    expect(await on.read((tx) => tx.configurationVersions.uploaded(before, 100))).toEqual([]);
  });

  it('are kept for a run that is made of them at the same moment', async () => {
    const workspace = await on.workspace(await on.organization());
    const version = await on.version(workspace, uploadedAt(noon));
    let seen: () => void = () => undefined;
    const looked = new Promise<void>((resolve) => {
      seen = resolve;
    });
    const watched: UnitOfWork = {
      run: (work) => on.run(work),
      read: (work) => on.read(work).finally(seen),
    };
    const archiving = new ArchiveOldVersions(watched, new FixedClock(afterNoon(3 * 86_400)), { archiveAfterDays: 1 });
    let ended: Promise<unknown> = Promise.resolve();
    await on.run(async (tx) => {
      await tx.workspaces.lockRow(workspace.id);
      // The lock may be sent with the next read.
      await tx.workspaces.find(workspace.id);
      ended = archiving.execute();
      // It has found no run.
      await looked;
      const sequence = (await tx.runs.takeSequence(workspace.id)).sequence;
      await tx.runs.add(aRun(workspace, version.state, { sequence, status: 'plan_queued' }));
    });
    await ended;
    const kept = await on.read((tx) => tx.configurationVersions.find(version.state.id));
    expect(kept?.state.status).toBe('uploaded');
  });

  it('are archived once by two who look at the same moment', async () => {
    const workspace = await on.workspace(await on.organization());
    const version = await on.version(workspace, uploadedAt('2020-01-01T00:00:00.000Z'));
    const clock = new FixedClock('2020-01-03T00:00:00.000Z');
    const ended = await Promise.all(
      [1, 2].map(() => new ArchiveOldVersions(on, clock, { archiveAfterDays: 1 }).execute()),
    );
    expect(ended.map(({ archived }) => archived).sort()).toEqual([0, 1]);
    const kept = await on.read((tx) => tx.configurationVersions.find(version.state.id));
    expect(kept?.state).toMatchObject({ status: 'archived', revision: 1 });
  });
});
