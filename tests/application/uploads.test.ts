import { beforeEach, describe, expect, it } from '@jest/globals';
import { SignedCapabilityUrls } from '../../src/adapters/files/signed-capability-urls.js';
import { defaultTimeouts } from '../../src/adapters/http/server/timeouts.js';
import { attemptSeconds } from '../../src/application/index.js';
import { ConfigurationVersion, DomainError } from '../../src/domain/index.js';
import { inChunks, lifetimes, objectIdOf, SlowBody, UncertainUnitOfWork, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { someIngressAttributes } from '../support/builders.js';
import { MemoryBundleStore } from '../support/memory-bundle-store.js';

const good = await archiveOf({ 'main.tf': 'resource "null_resource" "a" {}' });
const better = await archiveOf({ 'main.tf': 'resource "null_resource" "b" {}' });
const best = await archiveOf({ 'main.tf': 'resource "null_resource" "c" {}' });
const bad = Buffer.from('these bytes are not an archive');

/** The refusal of every upload URL that may not be used. */
const unusable = {
  code: 'resource/not-found',
  message: expect.stringMatching(/^the upload URL has expired or was altered, .* create a new configuration version/),
};

const refused = (because: string) => ({
  code: 'configuration-version/upload-refused',
  message: `configuration could not be uploaded because ${because}; upload to a new configuration version`,
});

let world: World;
beforeEach(async () => {
  world = await World.create();
});

/** Starts an upload that hangs after its first half. */
async function startSlowly({ objectId }: { readonly objectId: string }, bytes: Buffer) {
  const body = new SlowBody(bytes);
  const upload = world.useCases.uploadConfigurationBundle.execute(objectId, body);
  // The caller that awaits the upload sees how it ends.
  upload.catch(() => undefined);
  await body.halfway;
  return {
    finish: async () => {
      body.finish();
      await upload;
    },
    breakOff: async (error: Error) => {
      body.breakOff(error);
      await upload;
    },
  };
}

const bytesHeld = async (): Promise<readonly Buffer[]> => [...(await world.bundles()).values()];

/** Attempts begun before this instant that are neither kept nor discarded. */
const unsettled = async (): Promise<readonly string[]> => {
  world.clock.advance(1);
  return world.store.unsettled(0);
};

/** A body that must not be read. */
async function* untouched(): AsyncGenerator<Uint8Array> {
  yield Promise.reject(new Error('the body was read'));
}

describe('uploading the files of a configuration version', () => {
  it('leaves nothing for the sweep to do', async () => {
    await world.uploadedVersion(good);
    expect(await unsettled()).toEqual([]);
  });

  it('opens no transaction while bytes flow', async () => {
    const version = await world.newVersion();
    const slow = await startSlowly(version, good);
    await expect(world.unitOfWork.run(async () => 'done meanwhile')).resolves.toBe('done meanwhile');
    expect((await world.stateOf(version.id)).status).toBe('pending');
    await slow.finish();
    expect((await world.stateOf(version.id)).status).toBe('uploaded');
  });
});

describe('an upload that takes too long to be taken', () => {
  const late = { code: 'bundle/interrupted', message: 'the upload took too long; try again' };

  it('is refused, and leaves nothing', async () => {
    const version = await world.newVersion();
    const slow = await startSlowly(version, good);
    world.clock.advance(attemptSeconds.taken + 1);
    await expect(slow.finish()).rejects.toMatchObject(late);
    expect((await world.stateOf(version.id)).status).toBe('pending');
    expect(await bytesHeld()).toEqual([]);
    expect(await unsettled()).toEqual([]);
  });

  it('does not lose its bytes to the sweep before it is refused', async () => {
    const version = await world.newVersion();
    const slow = await startSlowly(version, good);
    world.clock.advance(attemptSeconds.taken);
    await world.useCases.sweepBundles.execute(attemptSeconds.abandoned);
    await slow.finish();
    expect(await bytesHeld()).toEqual([good]);
  });

  it('has had all the time that bytes may take, and is swept long after any transaction it was in', () => {
    const open = 60;
    expect(attemptSeconds.taken).toBeGreaterThanOrEqual(defaultTimeouts.total / 1000 + 600);
    expect(attemptSeconds.abandoned).toBeGreaterThanOrEqual(attemptSeconds.taken + open + 1800);
  });
});

const request = { id: 'request', address: null, route: 'PUT /v1/object/:objectId' };

/** The uploads in the trail. */
async function recorded(where: 'site' | 'organization') {
  const of = where === 'site' ? where : { organizationId: world.workspace.organizationId };
  const upload = { actorId: undefined, action: 'configuration-versions/upload', since: undefined, until: undefined };
  const query = { of, ...upload, oldestFirst: true };
  return (await world.unitOfWork.read((tx) => tx.audit.slice(query, undefined, 10))).items;
}

describe('an object id', () => {
  /** Recorded in the trail of the organization if `subject` exists, else in that of the site. */
  const refuses = async (objectId: string, subject: string | null = null) => {
    const { uploadConfigurationBundle, refusals } = world.useCases;
    await world.refuses(() => uploadConfigurationBundle.execute(objectId, untouched(), request), unusable);
    await refusals.flush(true);
    const event = { subject, outcome: unusable.code, actor: { kind: 'upload-url', id: null, tokenId: null }, request };
    expect(await recorded(subject === null ? 'site' : 'organization')).toMatchObject([event]);
  };

  it('of a version whose creator is not known is not found', async () => {
    const { id } = await world.newVersion();
    const known = await world.stateOf(id);
    const unknown = ConfigurationVersion.restore({ ...known, id: 'cv-unknown', createdBy: null });
    await world.unitOfWork.run((tx) => tx.configurationVersions.add(unknown));
    await refuses(objectIdOf(world.urls.issue('upload', unknown.state.id, world.clock.now())), unknown.state.id);
  });

  it('that is for downloading is not found', async () => {
    const { id } = await world.newVersion();
    await refuses(objectIdOf(world.urls.issue('download', id, world.clock.now())));
  });

  it('that was signed with another secret is not found', async () => {
    const { id } = await world.newVersion();
    const signingSecrets = ['a secret of another service, as long'] as const;
    const options = { publicUrl: '', signingSecrets, seconds: lifetimes };
    await refuses(objectIdOf(new SignedCapabilityUrls(options).issue('upload', id, world.clock.now())));
  });

  it('is not found from the instant it expires', async () => {
    const { objectId } = await world.newVersion();
    world.clock.advance(lifetimes.upload);
    await refuses(objectId);
  });
});

describe('uploading what is not a good archive', () => {
  it('makes a pending version errored and says why', async () => {
    const version = await world.newVersion();
    await expect(world.upload(version, bad)).rejects.toMatchObject({ code: 'bundle/malformed' });
    const { status, failure, bundle, statusTimestamps } = await world.stateOf(version.id);
    expect(status).toBe('errored');
    expect(failure).toEqual({
      error: 'bad-archive',
      errorMessage: expect.stringMatching(
        /^the archive is not gzip.*; upload a correct archive to a new configuration version$/,
      ),
    });
    expect(statusTimestamps).toEqual({ 'errored-at': world.clock.now() });
    expect(bundle).toBeNull();
    expect(await bytesHeld()).toEqual([]);
    expect(await unsettled()).toEqual([]);
  });

  it('returns to the uploader the reason that the version keeps', async () => {
    const version = await world.newVersion();
    const told = await world.upload(version, bad).catch((error: Error) => error.message);
    expect((await world.stateOf(version.id)).failure?.errorMessage).toBe(told);
  });

  it('changes nothing when the version is uploaded already', async () => {
    const version = await world.uploadedVersion(good);
    await world.refuses(() => world.upload(version, bad), { code: 'bundle/malformed' });
    expect(await bytesHeld()).toEqual([good]);
    expect(await unsettled()).toEqual([]);
  });

  it('is final: an errored version takes no better archive', async () => {
    const version = await world.newVersion();
    await expect(world.upload(version, bad)).rejects.toThrow();
    await world.refuses(
      () => world.useCases.uploadConfigurationBundle.execute(version.objectId, untouched()),
      refused('its status is errored'),
    );
  });

  it('does not spoil the version that a better upload completed meanwhile', async () => {
    const version = await world.newVersion();
    const slow = await startSlowly(version, bad);
    await world.upload(version, good);
    await world.refuses(slow.finish, { code: 'bundle/malformed' });
    expect((await world.stateOf(version.id)).status).toBe('uploaded');
  });
});

describe('an upload that fails on its way', () => {
  it('leaves nothing behind when the line breaks, and the version pending', async () => {
    const version = await world.newVersion();
    const broken = new Error('the line broke');
    const slow = await startSlowly(version, good);
    await world.refuses(() => slow.breakOff(broken), broken);
    expect((await world.stateOf(version.id)).status).toBe('pending');
    expect(await unsettled()).toEqual([]);
    await world.upload(version, good);
    expect(await bytesHeld()).toEqual([good]);
  });

  it('leaves the version pending when the store fails', async () => {
    class FullStore extends MemoryBundleStore {
      override async write(): Promise<void> {
        throw new Error('no space left');
      }
    }
    world = await World.create({ store: (now) => new FullStore(now) });
    const version = await world.newVersion();
    const { uploadConfigurationBundle, refusals } = world.useCases;
    const upload = () => uploadConfigurationBundle.execute(version.objectId, inChunks([good]), request);
    await world.refuses(upload, { message: 'no space left' });
    expect((await world.stateOf(version.id)).status).toBe('pending');
    // A failure, and not a refusal.
    await refusals.flush(true);
    expect(await recorded('organization')).toEqual([]);
  });

  it.each(['before it is kept', 'after it is kept'] as const)(
    'is settled by the sweep when the commit fails %s',
    async (moment) => {
      const unitOfWork = new UncertainUnitOfWork();
      world = await World.create({ unitOfWork });
      const version = await world.newVersion();
      unitOfWork.failing = moment;
      await expect(world.upload(version, good)).rejects.toThrow('the connection was lost');
      unitOfWork.failing = undefined;
      expect(await unsettled()).toHaveLength(1);
      expect(await bytesHeld()).toEqual([good]);

      const kept = moment === 'after it is kept';
      expect(await world.useCases.sweepBundles.execute(0)).toBe(kept ? 0 : 1);
      expect(await unsettled()).toEqual([]);
      expect((await world.stateOf(version.id)).status).toBe(kept ? 'uploaded' : 'pending');
      expect(await bytesHeld()).toEqual(kept ? [good] : []);
    },
  );

  it.each(['before it is kept', 'after it is kept'] as const)(
    'is settled by the sweep when the database is unavailable and fails %s',
    async (moment) => {
      const unitOfWork = new UncertainUnitOfWork();
      world = await World.create({ unitOfWork });
      const version = await world.newVersion();
      unitOfWork.reason = new DomainError('service/unavailable', 'the database is unavailable');
      unitOfWork.failing = moment;
      await expect(world.upload(version, good)).rejects.toBe(unitOfWork.reason);
      unitOfWork.failing = undefined;
      expect(await bytesHeld()).toEqual([good]);
      world.clock.advance(1);
      await world.useCases.sweepBundles.execute(0);
      expect(await bytesHeld()).toEqual(moment === 'after it is kept' ? [good] : []);
    },
  );

  it('leaves nothing when the disk of the database is full', async () => {
    const unitOfWork = new UncertainUnitOfWork();
    world = await World.create({ unitOfWork });
    const version = await world.newVersion();
    unitOfWork.reason = new DomainError('service/storage-full', 'the disk is full');
    unitOfWork.failing = 'before it is kept';
    await expect(world.upload(version, good)).rejects.toBe(unitOfWork.reason);
    unitOfWork.failing = undefined;
    expect(await bytesHeld()).toEqual([]);
    expect((await world.stateOf(version.id)).status).toBe('pending');
  });

  it('is taken although the store cannot settle it, which the sweep does later', async () => {
    class Unsettling extends MemoryBundleStore {
      broken = true;

      override async keep(key: string): Promise<void> {
        if (this.broken) throw new Error('the disk is full');
        await super.keep(key);
      }
    }
    const store = new Unsettling(() => Date.parse(world.clock.now()));
    world = await World.create({ store: () => store });
    const version = await world.uploadedVersion(good);
    expect((await world.stateOf(version.id)).status).toBe('uploaded');
    expect(await bytesHeld()).toEqual([good]);
    store.broken = false;
    world.clock.advance(1);
    expect(await world.useCases.sweepBundles.execute(0)).toBe(0);
    expect(await unsettled()).toEqual([]);
    expect(await bytesHeld()).toEqual([good]);
  });

  it('is left alone by the sweep while it may still go on', async () => {
    const version = await world.newVersion();
    const slow = await startSlowly(version, good);
    world.clock.advance(60);
    expect(await world.useCases.sweepBundles.execute(60)).toBe(0);
    await slow.finish();
    expect(await bytesHeld()).toEqual([good]);
  });
});

describe('uploading to a version that is uploaded already', () => {
  it('replaces the bytes and orders the old ones to be discarded', async () => {
    const version = await world.uploadedVersion(good);
    const { bundle: old } = await world.stateOf(version.id);
    await world.upload(version, better);
    const { status, bundle } = await world.stateOf(version.id);
    expect(status).toBe('uploaded');
    expect(world.ordered).toEqual([{ kind: 'discard-bundle', bundleKey: old?.key }]);
    await world.performEffects();
    expect(await world.bundles()).toEqual(new Map([[bundle?.key, better]]));
    expect(await unsettled()).toEqual([]);
  });

  it('changes nothing when the bytes are the same, and drops the second copy', async () => {
    const version = await world.uploadedVersion(good);
    await world.keepsEverything(() => world.upload(version, good));
    expect(await bytesHeld()).toEqual([good]);
    expect(await unsettled()).toEqual([]);
  });

  it.each(['planning', 'applied'] as const)('is refused once a run that is %s was made from it', async (status) => {
    const version = await world.uploadedVersion(good);
    await world.run(version.id, status);
    await world.refuses(() => world.upload(version, better), refused('a run has used it'));
    await world.keepsEverything(() => world.upload(version, good));
  });

  it('is refused when a run was made from it while the bytes flowed', async () => {
    const version = await world.uploadedVersion(good);
    const slow = await startSlowly(version, better);
    await world.run(version.id, 'pending');
    await world.refuses(slow.finish, refused('a run has used it'));
    expect(await bytesHeld()).toEqual([good]);
    expect(await unsettled()).toEqual([]);
  });
});

describe('uploading to a version that takes no bytes any more', () => {
  it('is refused at once when it is archived', async () => {
    const version = await world.uploadedVersion(good, { provisional: true });
    await world.useCases.archiveConfigurationVersion.execute(world.owner, version.id);
    await world.refuses(
      () => world.useCases.uploadConfigurationBundle.execute(version.objectId, untouched()),
      refused('its status is archived'),
    );
    await world.refuses(() => world.upload(version, good), refused('its status is archived'));
  });

  it('is refused when it was archived while the bytes flowed', async () => {
    const version = await world.uploadedVersion(good, { provisional: true });
    const slow = await startSlowly(version, better);
    await world.useCases.archiveConfigurationVersion.execute(world.owner, version.id);
    await expect(slow.finish()).rejects.toMatchObject(refused('its status is archived'));
    await world.performEffects();
    expect(await bytesHeld()).toEqual([]);
    expect(await unsettled()).toEqual([]);
  });

  it('is accepted without change while it still holds the same bytes, softly deleted', async () => {
    const version = await world.uploadedVersion(good, { provisional: true });
    await world.fire(version.id, 'soft-delete');
    await world.keepsEverything(() => world.upload(version, good));
    await world.refuses(() => world.upload(version, better), refused('its status is backing_data_soft_deleted'));
    expect((await world.stateOf(version.id)).status).toBe('backing_data_soft_deleted');
  });

  it('is refused once its bytes are permanently deleted', async () => {
    const version = await world.uploadedVersion(good, { provisional: true });
    await world.fire(version.id, 'soft-delete');
    await world.fire(version.id, 'permanently-delete');
    await world.refuses(() => world.upload(version, good), refused('its status is backing_data_permanently_deleted'));
  });

  it('is refused when it comes from version control', async () => {
    const id = await world.fetchedVersion(someIngressAttributes());
    const objectId = objectIdOf(world.urls.issue('upload', id, world.clock.now()));
    await world.refuses(() => world.upload({ objectId }, good), refused('it was created from version control'));
  });
});

describe('uploads at once to one version', () => {
  it('end with the bytes of the last to finish, whole, and nothing of the others', async () => {
    const version = await world.newVersion();
    const first = await startSlowly(version, good);
    const second = await startSlowly(version, better);
    await world.upload(version, best);
    await second.finish();
    await first.finish();
    await world.performEffects();
    const { bundle } = await world.stateOf(version.id);
    expect(await world.bundles()).toEqual(new Map([[bundle?.key, good]]));
    expect(await unsettled()).toEqual([]);
  });

  it('end with one whole bundle when they finish in the same moment', async () => {
    const version = await world.newVersion();
    await Promise.all([good, better, best].map((bytes) => world.upload(version, bytes)));
    await world.performEffects();
    const { bundle } = await world.stateOf(version.id);
    const held = await world.bundles();
    expect([...held.keys()]).toEqual([bundle?.key]);
    expect([good, better, best]).toContainEqual(held.get(bundle?.key ?? ''));
    expect(await unsettled()).toEqual([]);
  });

  it('keep one copy when all bring the same bytes', async () => {
    const version = await world.newVersion();
    await Promise.all([good, good, good].map((bytes) => world.upload(version, bytes)));
    expect(await bytesHeld()).toEqual([good]);
    expect(world.ordered).toEqual([]);
    expect(await unsettled()).toEqual([]);
  });

  it('have nothing to do with uploads to other versions', async () => {
    const version = await world.newVersion();
    const other = await world.newVersion();
    const slow = await startSlowly(version, good);
    await world.upload(other, good);
    await slow.finish();
    expect(await bytesHeld()).toEqual([good, good]);
  });
});

describe('an upload whose version goes away while the bytes flow', () => {
  const deletions = {
    workspace: () => world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id }),
    organization: () => world.useCases.removeOrganization.execute(world.owner, 'acme'),
  };

  it.each([
    ['a good archive', 'workspace', 'is deleted', good],
    ['a good archive', 'workspace', 'is deleted and taken away', good],
    ['a bad archive', 'workspace', 'is deleted', bad],
    ['a good archive', 'organization', 'is deleted', good],
    ['a good archive', 'organization', 'is deleted and taken away', good],
  ] as const)('brings %s to nowhere when the %s %s, and leaves nothing', async (_kind, what, happens, bytes) => {
    const version = await world.newVersion();
    const slow = await startSlowly(version, bytes);
    await deletions[what]();
    if (happens === 'is deleted and taken away') await world.performEffects();
    await world.refuses(slow.finish, unusable);
    await world.performEffects();
    expect(await bytesHeld()).toEqual([]);
    expect(await unsettled()).toEqual([]);
  });

  it('leaves nothing in the store when it replaces bytes that go away with the workspace', async () => {
    const version = await world.uploadedVersion(good);
    const slow = await startSlowly(version, better);
    await deletions.workspace();
    await world.performEffects();
    await expect(slow.finish()).rejects.toMatchObject(unusable);
    expect(await bytesHeld()).toEqual([]);
    expect(await unsettled()).toEqual([]);
  });

  it('is not found either when it begins after the deletion', async () => {
    const version = await world.newVersion();
    await deletions.organization();
    await world.refuses(() => world.upload(version, good), unusable);
  });
});
