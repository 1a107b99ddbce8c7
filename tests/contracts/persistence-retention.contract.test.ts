import { expect, it } from '@jest/globals';
import type { Workspace } from '../../src/domain/index.js';
import { aBundle, afterNoon, aStateOutput, aStateVersion, asOrganization, noon } from '../support/builders.js';
import { type Ground, onEveryBackend } from './on-every-backend.js';

/** States of a client, created a second apart. */
const statesOf = (on: Ground, workspaceId: string, count: number) =>
  on.run(async (tx) => {
    const states = [];
    for (let n = 0; n < count; n += 1) {
      const given = { source: 'client', runId: null, createdAt: afterNoon(n), serial: n + 1 } as const;
      const version = aStateVersion({ id: '', workspaceId }, given);
      await tx.stateVersions.add(version, [aStateOutput(version)]);
      await tx.stateVersions.finalize(version, aBundle());
      await tx.stateVersions.keepJson(version.id, aBundle());
      await tx.stateVersions.keepContents(version.id, {
        terraformVersion: null,
        resourceCount: 1,
        resources: [],
        warnings: [],
      });
      states.push(version.id);
    }
    return states;
  });

onEveryBackend('data that workspaces keep for a while', (on) => {
  it('is that of workspaces with a number of days, in the order of their ids', async () => {
    const organization = await on.organization();
    const retaining = async (days: number | null) => on.workspace(organization, { retention: { id: 'drp-1', days } });
    const ids = [await retaining(1), await retaining(30)].map(({ id }) => id).sort();
    await retaining(null);
    await on.workspace(organization);
    const gone = await retaining(2);
    await on.run((tx) => tx.workspaces.remove(gone.id, noon));
    const listed = async (after: string, limit: number) =>
      (await on.read((tx) => tx.workspaces.retaining(after, limit))).map(({ id }) => id);
    const own = (all: readonly string[]) => all.filter((id) => ids.includes(id));
    expect(own(await listed('', 10_000))).toEqual(ids);
    expect(own(await listed(ids[0] ?? '', 10_000))).toEqual([ids[1]]);
    expect(await listed('', 1)).toHaveLength(1);
  });

  it('is that of workspaces without a retention, in organizations with a number of days', async () => {
    const [deleting, keeping, plain] = [await on.organization(), await on.organization(), await on.organization()];
    const retention = { id: 'drp-2', days: 7 };
    await on.run((tx) => tx.organizations.setRetention(deleting.id, retention));
    await on.run((tx) => tx.organizations.setRetention(keeping.id, { id: 'drp-3', days: null }));
    const found: string[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const last: string = after;
      after = await on.read((tx) => tx.organizations.retaining(last));
      if (after !== undefined) found.push(after);
    }
    expect(found).toEqual([...found].sort());
    expect([deleting, keeping, plain].map(({ id }) => found.includes(id))).toEqual([true, false, false]);

    const newer = await on.workspace(deleting, { createdAt: afterNoon(2) });
    const older = await on.workspace(deleting, { createdAt: afterNoon(1) });
    await on.workspace(deleting, { retention: { id: 'drp-1', days: null } });
    const gone = await on.workspace(deleting);
    await on.run((tx) => tx.workspaces.remove(gone.id, noon));
    const listed = (after: Pick<Workspace, 'createdAt' | 'id'> | null, limit = 10) =>
      on.read((tx) => tx.workspaces.withoutRetention(deleting.id, after, limit));
    const all = await listed(null);
    expect(all.map(({ id }) => id)).toEqual([older.id, newer.id]);
    expect(all[0]?.organizationRetention).toEqual(retention);
    expect(await listed(older)).toEqual(all.slice(1));
    expect(await listed(null, 1)).toEqual(all.slice(0, 1));
    await on.run((tx) => tx.organizations.setRetention(deleting.id, null));
    expect((await listed(null))[0]?.organizationRetention).toBeNull();
  });

  it('is of versions either of one workspace, or of those without a retention', async () => {
    const organization = await on.organization();
    const [keeping, other] = [
      await on.workspace(organization, { retention: { id: 'drp-1', days: null } }),
      await on.workspace(organization),
    ];
    const retaining = await on.organization();
    await on.run((tx) => tx.organizations.setRetention(retaining.id, { id: 'drp-2', days: null }));
    const following = await on.workspace(retaining);
    const uploaded = { status: 'uploaded', bundle: aBundle(), createdAt: noon } as const;
    const followed = await on.version(following, { ...uploaded, bundle: aBundle() });
    const [kept, free] = [
      await on.version(keeping, uploaded),
      await on.version(other, { ...uploaded, bundle: aBundle() }),
    ];
    const found = async (workspaceId?: string) =>
      (await on.read((tx) => tx.configurationVersions.uploaded(afterNoon(1), 10_000, undefined, workspaceId))).map(
        ({ state }) => state.id,
      );
    expect(await found(keeping.id)).toEqual([kept.state.id]);
    const all = await found();
    expect([kept, followed, free].map(({ state }) => all.includes(state.id))).toEqual([false, false, true]);
  });

  it('is of states all that are older, except the current one', async () => {
    const workspace = await on.workspace(await on.organization());
    const [first, second, third, current] = await statesOf(on, workspace.id, 4);
    const outdated = async (seconds: number, limit = 10) =>
      (await on.read((tx) => tx.stateVersions.outdated(workspace.id, afterNoon(seconds), limit))).map(({ id }) => id);
    expect(await outdated(2)).toEqual([first, second]);
    expect(await outdated(100)).toEqual([first, second, third]);
    expect(await outdated(100, 1)).toEqual([first]);
    expect((await on.read((tx) => tx.stateVersions.current(workspace.id)))?.id).toBe(current);
  });

  it('leaves the state in its list, without bytes, outputs and resources', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const [first = '', second] = await statesOf(on, workspace.id, 2);
    const before = await on.read((tx) => tx.stateVersions.find(first));
    for (const _ of ['once', 'again']) await on.run((tx) => tx.stateVersions.deleteData(first));
    const gone = { bundle: null, jsonBundle: null, outputsRead: true, status: 'backing_data_permanently_deleted' };
    const after = await on.read((tx) => tx.stateVersions.findFor(asOrganization(organization), first));
    expect(after?.subject).toEqual({ ...before, ...gone });
    const { items } = await on.read((tx) => tx.stateVersions.page(workspace.id, { number: 1, size: 10 }));
    expect(items.map(({ id }) => id)).toEqual([second, first]);
    expect(await on.read((tx) => tx.stateOutputs.listed(first))).toEqual([]);
    expect((await on.read((tx) => tx.stateVersions.contentsOf([first], true))).size).toBe(0);
    expect(await on.read((tx) => tx.stateVersions.outdated(workspace.id, afterNoon(100), 10))).toEqual([]);
  });
});
