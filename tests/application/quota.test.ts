import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ByteQuota } from '../../src/application/index.js';
import type { AuditEvent } from '../../src/domain/index.js';
import { softDeleteDays, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { RunSteps } from '../support/run-steps.js';

/** Two that fit together, three that do not. */
const [good, better, best] = (await Promise.all(
  [1, 2, 3].map(() => archiveOf({ 'main.tf': randomBytes(300).toString('hex') })),
)) as [Buffer, Buffer, Buffer];
const limit = good.length + better.length + 100;
const cloneUrl = 'https://git.example/acme/network.git';

const overQuota = (kept: number, of = limit) => ({
  code: 'organization/over-quota',
  message: expect.stringContaining(`stores ${kept} of the ${of} bytes that MAX_ORGANIZATION_BYTES allows`),
});

let world: World;
beforeEach(async () => {
  world = await World.create({ maxOrganizationBytes: limit });
});

const kept = () => world.unitOfWork.read((tx) => tx.keptBytes.of(world.workspace));

/** Leaves no room at all. */
const fillUp = async (): Promise<void> => {
  const room = limit - (await kept());
  await world.unitOfWork.run((tx) => tx.policies.keepCode(world.workspace.organizationId, 'x'.repeat(room)));
  expect(await kept()).toBe(limit);
};

const events = async (): Promise<readonly AuditEvent[]> => {
  const of = { organizationId: world.workspace.organizationId };
  const query = { of, actorId: undefined, action: 'runs/queue', since: undefined, until: undefined, oldestFirst: true };
  return (await world.unitOfWork.read((tx) => tx.audit.slice(query, undefined, 100))).items;
};

describe('an upload to an organization with a limit', () => {
  it('is kept up to the last byte', async () => {
    world = await World.create({ maxOrganizationBytes: good.length });
    const version = await world.uploadedVersion(good);
    expect((await world.stateOf(version.id)).status).toBe('uploaded');
    expect(await kept()).toBe(good.length);
  });

  it('is cut at the first byte beyond it, and leaves the version pending and nothing behind', async () => {
    await world.uploadedVersion(good);
    await world.uploadedVersion(better);
    const version = await world.newVersion();
    let read = 0;
    const body = async function* () {
      for (let at = 0; at < best.length; at += 10) {
        read = at;
        yield new Uint8Array(best.subarray(at, at + 10));
      }
    };
    const upload = () => world.useCases.uploadConfigurationBundle.execute(version.objectId, body());
    await world.refuses(upload, overQuota(good.length + better.length));
    expect(read).toBeLessThanOrEqual(110);
    expect((await world.stateOf(version.id)).status).toBe('pending');
    world.clock.advance(1);
    expect(await world.store.unsettled(0)).toEqual([]);
  });

  it('counts the difference where it replaces', async () => {
    await world.uploadedVersion(good);
    const version = await world.uploadedVersion(better);
    await world.upload(version, best);
    expect(await kept()).toBe(good.length + best.length);
  });

  it('may replace by as much or less beyond the limit, or send the same again', async () => {
    const version = await world.uploadedVersion(good);
    await fillUp();
    await world.unitOfWork.run((tx) => tx.policies.keepCode(world.workspace.organizationId, 'more'));
    await world.upload(version, good);
    const smaller = await archiveOf({ 'main.tf': '' });
    await world.upload(version, smaller);
    expect((await world.stateOf(version.id)).bundle?.bytes).toBe(smaller.length);
    await world.refuses(() => world.upload(version, good), overQuota(await kept()));
  });

  it('finds room again where versions were archived or purged, and none by soft-deleting alone', async () => {
    const old = await world.uploadedVersion(good);
    await world.uploadedVersion(better);
    const next = await world.newVersion();
    await world.useCases.changeBackingData.execute(world.owner, old.id, 'soft-delete');
    await world.refuses(() => world.upload(next, best), overQuota(good.length + better.length));
    world.clock.advance(softDeleteDays * 86_400);
    await world.performEffects();
    expect(await kept()).toBe(better.length);
    const another = await world.newVersion();
    await world.upload(another, best);
    const third = await world.newVersion();
    await world.refuses(() => world.upload(third, good), overQuota(better.length + best.length));
    await world.useCases.archiveConfigurationVersion.execute(world.owner, another.id);
    await world.upload(third, good);
    expect(await kept()).toBe(better.length + good.length);
  });
});

describe('an organization that keeps all it may', () => {
  it('leaves other organizations alone', async () => {
    await fillUp();
    await world.useCases.createOrganization.execute(world.administrator, { name: 'initech', email: 'i@example.com' });
    const { subject } = await world.useCases.createWorkspace.execute(world.administrator, 'initech', { name: 'own' });
    const command = { autoQueueRuns: false, source: 'tfe-api' };
    await world.useCases.createConfigurationVersion.execute(world.administrator, {
      ...command,
      workspaceId: subject.id,
    });
    await world.refuses(() => world.newVersion(), overQuota(limit));
  });

  it('gets no run by an upload: the version stays uploaded, and the trail says why', async () => {
    const version = await world.uploadedVersion(good, { autoQueueRuns: true });
    await fillUp();
    await world.performEffects();
    expect((await world.stateOf(version.id)).status).toBe('uploaded');
    const facts = await world.unitOfWork.read((tx) => tx.runs.firstOfVersions([version.id]));
    expect(facts.size).toBe(0);
    expect(await events()).toMatchObject([
      { actor: { kind: 'system' }, subject: version.id, outcome: 'organization/over-quota', count: 1 },
    ]);
    expect(world.ordered).toEqual([]);
  });
});

describe('a commit fetched for an organization with a limit', () => {
  const link = () =>
    world.useCases.updateWorkspace.execute(
      world.owner,
      { id: world.workspace.id },
      { repository: { cloneUrl, branch: 'main', credential: null } },
    );
  const fetchCommit = () => world.useCases.fetchCommit.execute(world.owner, world.workspace.id);

  it('is refused where nothing more may be kept, before it is fetched', async () => {
    await link();
    world.repositories.push(cloneUrl, 'main', good);
    await fillUp();
    await world.refuses(fetchCommit, overQuota(limit));
  });

  it('makes an errored version where there is no room for it, or none any more', async () => {
    await link();
    world.repositories.push(cloneUrl, 'main', best);
    await world.uploadedVersion(good);
    await world.uploadedVersion(better);
    const { id } = await fetchCommit();
    await world.performEffects();
    expect(await world.stateOf(id)).toMatchObject({
      status: 'errored',
      failure: { error: 'fetch-failed', errorMessage: overQuota(good.length + better.length).message },
    });
    const another = await fetchCommit();
    await fillUp();
    const before = world.repositories.asked.length;
    await world.performEffects();
    expect(world.repositories.asked.length).toBe(before);
    expect((await world.stateOf(another.id)).status).toBe('errored');
    expect((await world.bundles()).size).toBe(2);
  });

  it('makes an errored version where the room is used up while it is fetched', async () => {
    await link();
    const sha = world.repositories.push(cloneUrl, 'main', best);
    const { id } = await fetchCommit();
    const slow = Promise.withResolvers<void>();
    world.repositories.delays.set(sha, slow.promise);
    const performing = world.useCases.performEffects.execute('fetches');
    while (world.repositories.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await world.uploadedVersion(good);
    await world.uploadedVersion(better);
    slow.resolve();
    expect((await performing).failures).toMatchObject([{ error: overQuota(good.length + better.length) }]);
    expect(await kept()).toBe(good.length + better.length);
    world.clock.advance(1);
    await world.performEffects();
    expect((await world.stateOf(id)).status).toBe('errored');
    expect((await world.stateOf(id)).failure?.errorMessage).toContain('MAX_ORGANIZATION_BYTES');
  });

  it('is fetched again for a run that there is already, counted, and never refused', async () => {
    const steps = await RunSteps.of(world);
    await link();
    world.repositories.push(cloneUrl, 'main', good);
    const { id } = await fetchCommit();
    await world.performEffects();
    await steps.plan(false);
    await world.performEffects();
    expect((await world.stateOf(id)).status).toBe('archived');
    expect(await kept()).toBe(0);
    const run = await steps.create();
    await fillUp();
    await world.performEffects();
    expect(await kept()).toBe(limit + good.length);
    expect(await (await steps.claimed()).files()).toEqual(good);
    await steps.change(run.id, 'cancel');
  });
});

describe('without a limit', () => {
  it('nothing is refused, and no counter is read', async () => {
    world = await World.create();
    const quota = new ByteQuota({ maxOrganizationBytes: 0 });
    const read: string[] = [];
    await world.unitOfWork.run(async (tx) => {
      const watched = new Proxy(tx, {
        get: (target, name: keyof typeof tx) => {
          read.push(name);
          return target[name];
        },
      });
      await quota.refuseMore(watched, world.workspace);
      await quota.refuseExcess(watched, world.workspace, 1e15);
      await quota.room(watched, world.workspace);
      expect(await quota.isUsedUp(watched, world.workspace)).toBe(false);
    });
    expect(read).toEqual([]);
  });
});
