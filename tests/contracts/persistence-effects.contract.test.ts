import { beforeEach, expect, it } from '@jest/globals';
import type { Effect, PendingEffect, RemovalTarget } from '../../src/application/index.js';
import type { Organization } from '../../src/domain/index.js';
import {
  aBundle,
  afterNoon,
  anOrganization,
  asUser,
  aTeam,
  aUser,
  aWorkspace,
  noon,
  ownedBy,
  someIngressAttributes,
  unique,
} from '../support/builders.js';
import { onEveryBackend } from './on-every-backend.js';

const discard = (bundleKey: string): Effect => ({ kind: 'discard-bundle', bundleKey });

onEveryBackend('effects', (on) => {
  const keysOf = (effects: readonly PendingEffect[]) =>
    effects.map(({ effect }) => (effect.kind === 'discard-bundle' ? effect.bundleKey : effect.target.id));

  const due = (at = noon, limit = 100) => on.read((tx) => tx.effects.due(at, limit));

  beforeEach(async () => {
    for (let left = await due(afterNoon(1000)); left.length > 0; left = await due(afterNoon(1000))) {
      for (const { id } of left) await on.run((tx) => tx.effects.done(id));
    }
  });

  it('gives back an effect as it was enqueued', async () => {
    const removal: Effect = { kind: 'remove-rows', target: { kind: 'workspace', id: 'ws-1' } };
    await on.run((tx) => tx.effects.enqueue('cv-1', [discard('bundle-1')]));
    await on.run((tx) => tx.effects.enqueue('ws-1', [removal]));
    await on.run((tx) => tx.effects.enqueue('ws-2', []));
    const untried = { id: expect.any(Number), attempts: 0, lastError: null };
    expect(await due()).toEqual([
      { ...untried, effect: discard('bundle-1') },
      { ...untried, effect: removal },
    ]);
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

  it('forgets an effect that is done, and does not mind hearing of it again', async () => {
    await on.run((tx) => tx.effects.enqueue('a', [discard('a1')]));
    const [first] = await due();
    for (const _ of [1, 2]) await on.run((tx) => tx.effects.done(first?.id ?? 0));
    await on.run((tx) => tx.effects.failed(first?.id ?? 0, 'late', noon));
    expect(await due()).toEqual([]);
  });
});

onEveryBackend('removals', (on) => {
  /** Every bundle key named until nothing is left, and in how many calls. */
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
    for (const key of keys) if (await on.read((tx) => tx.configurationVersions.refersTo(key))) return true;
    return false;
  };

  /** A workspace with versions, some of which have a bundle, a commit and a run. */
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
    expect(await on.read((tx) => tx.teams.members([team.id]))).toEqual(new Map([[team.id, [kept]]]));
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
