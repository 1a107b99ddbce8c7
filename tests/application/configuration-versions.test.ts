import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Include, NewConfigurationVersion } from '../../src/application/index.js';
import type { Actor, ConfigurationVersionId } from '../../src/domain/index.js';
import { missing, objectIdOf, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { someIngressAttributes } from '../support/builders.js';

const files = await archiveOf({ 'main.tf': 'terraform {}' });
const otherFiles = await archiveOf({ 'main.tf': 'locals {}' });

const nothingElse: ReadonlySet<Include> = new Set();

let world: World;
beforeEach(async () => {
  world = await World.create();
});

const create = (actor: Actor, given: Partial<NewConfigurationVersion> = {}) =>
  world.useCases.createConfigurationVersion.execute(actor, {
    workspaceId: world.workspace.id,
    source: 'tfe-api',
    ...given,
  });

const show = (actor: Actor, id: ConfigurationVersionId, include = nothingElse) =>
  world.useCases.showConfigurationVersion.execute(actor, { id, include });

const showCommit = (actor: Actor, id: ConfigurationVersionId) =>
  world.useCases.showIngressAttributes.execute(actor, id);
const archive = (actor: Actor, id: ConfigurationVersionId) =>
  world.useCases.archiveConfigurationVersion.execute(actor, id);
const locate = (actor: Actor, id: ConfigurationVersionId) => world.useCases.locateBundle.execute(actor, { id: id });

const currentVersion = async (): Promise<string | null> =>
  (await world.useCases.showWorkspace.execute(world.owner, { id: world.workspace.id })).subject
    .currentConfigurationVersionId;

/** A version in each state that is readable, and one in each that is not. */
const versionIn = {
  pending: async () => (await world.newVersion()).id,
  errored: async () => {
    const version = await world.newVersion();
    await world.upload(version, Buffer.from('no archive')).catch(() => undefined);
    return version.id;
  },
  uploaded: async () => (await world.uploadedVersion(files, { provisional: true })).id,
  archived: async () => {
    const { id } = await world.uploadedVersion(files, { provisional: true });
    await archive(world.owner, id);
    return id;
  },
  backing_data_soft_deleted: async () => {
    const { id } = await world.uploadedVersion(files, { provisional: true });
    await world.fire(id, 'soft-delete');
    return id;
  },
  backing_data_permanently_deleted: async () => {
    const { id } = await world.uploadedVersion(files, { provisional: true });
    await world.fire(id, 'soft-delete');
    await world.fire(id, 'permanently-delete');
    return id;
  },
};

describe('creating a configuration version', () => {
  it('makes it the current version of its workspace', async () => {
    expect(await currentVersion()).toBeNull();
    await create(world.owner);
    const { version } = await create(world.owner);
    expect(await currentVersion()).toBe(version.id);
  });

  it.each([{ provisional: true }, { speculative: true }, { provisional: true, speculative: true }])(
    'leaves the current version where it is with %j',
    async (given) => {
      const current = await create(world.owner);
      await create(world.owner, given);
      expect(await currentVersion()).toBe(current.version.id);
    },
  );
});

describe('showing a configuration version', () => {
  it.each(['pending', 'errored', 'uploaded', 'archived'] as const)('works while it is %s', async (status) => {
    const id = await versionIn[status]();
    expect((await show(world.owner, id)).version.status).toBe(status);
  });

  it.each(['backing_data_soft_deleted', 'backing_data_permanently_deleted'] as const)(
    'finds nothing while it is %s',
    async (status) => {
      const id = await versionIn[status]();
      await world.refuses(() => show(world.owner, id), missing);
    },
  );
});

describe('showing the commit of a configuration version', () => {
  it('works after the version was archived', async () => {
    const commit = someIngressAttributes();
    const id = await world.fetchedVersion(commit);
    await world.fire(id, 'finish-runs');
    expect(await showCommit(world.owner, id)).toEqual(commit);
  });
});

describe('archiving a configuration version', () => {
  const refused = (because: string) => ({
    code: 'configuration-version/not-archivable',
    message: `configuration could not be archived because ${because}`,
  });

  it('is possible for a version that a newer one took the place of', async () => {
    const { id } = await world.uploadedVersion(files);
    await world.newVersion();
    await archive(world.owner, id);
    expect((await world.stateOf(id)).status).toBe('archived');
  });

  it('happens once when asked for twice at once', async () => {
    const id = await versionIn.uploaded();
    const outcomes = await Promise.allSettled([archive(world.owner, id), archive(world.owner, id)]);
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: refused('its status is archived') },
    ]);
    expect(world.ordered).toHaveLength(1);
  });
});

describe('downloading a configuration version', () => {
  const open = async (url: string) => world.useCases.readBundle.execute(objectIdOf(url));

  it('gives a temporary URL of exactly the bytes uploaded', async () => {
    const { id } = await world.uploadedVersion(files);
    const bundle = await open(await locate(world.owner, id));
    expect(bundle).toMatchObject({ bytes: files.length, sha256: (await world.stateOf(id)).bundle?.sha256 });
    expect(await buffer(await bundle.read())).toEqual(files);
    expect(await buffer(await bundle.read({ start: 2, end: 4 }))).toEqual(files.subarray(2, 5));
  });

  it.each(['pending', 'errored', 'archived', 'backing_data_soft_deleted', 'backing_data_permanently_deleted'] as const)(
    'finds nothing while it is %s',
    async (status) => {
      const id = await versionIn[status]();
      await world.refuses(() => locate(world.owner, id), missing);
    },
  );

  it('is not what an upload URL is good for', async () => {
    const { objectId } = await world.uploadedVersion(files);
    await world.refuses(() => world.useCases.readBundle.execute(objectId), missing);
  });

  it('gives the bytes that are current when the URL is used', async () => {
    const version = await world.uploadedVersion(files);
    const url = await locate(world.owner, version.id);
    await world.upload(version, otherFiles);
    expect(await buffer(await (await open(url)).read())).toEqual(otherFiles);
  });

  it.each([
    ['the version was archived', (id: string) => archive(world.owner, id)],
    ['its backing data was softly deleted', (id: string) => world.fire(id, 'soft-delete')],
    [
      'its workspace was deleted',
      () => world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id }),
    ],
    ['its organization was deleted', () => world.useCases.removeOrganization.execute(world.owner, 'acme')],
  ])('finds nothing when %s since the URL was given', async (_since, happens) => {
    const id = await versionIn.uploaded();
    const url = await locate(world.owner, id);
    await happens(id);
    await world.refuses(() => open(url), missing);
  });

  it('finds nothing when the bytes went away after it began', async () => {
    const id = await versionIn.uploaded();
    const bundle = await open(await locate(world.owner, id));
    await archive(world.owner, id);
    await world.performEffects();
    await world.refuses(() => bundle.read(), missing);
  });
});
