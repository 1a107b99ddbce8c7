import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { FileBundleStore } from '../../src/adapters/files/file-bundle-store.js';
import type { BundleStore, StoredFile } from '../../src/application/index.js';
import { type Bundle, type ConfigurationVersionId, DomainError } from '../../src/domain/index.js';
import { type Fault, faultOf } from '../../src/infrastructure/stored-bundles.js';
import { World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { inTemporaryDirectory } from '../support/process.js';

const files = await archiveOf({ 'main.tf': 'terraform {}' });

type StoredVersion = StoredFile & { readonly of: ConfigurationVersionId };

interface Ground {
  readonly world: World;
  readonly store: BundleStore;
  readonly stored: StoredVersion;
  /** The path of the file with its bytes. */
  readonly path: string;
}

/** The fate of an archive by the time its bytes are asked for, and the fault then reported. */
const fates: Readonly<
  Record<string, readonly [found: Partial<Fault> | undefined, happens: (ground: Ground) => Promise<unknown>]>
> = {
  'is as it was uploaded': [undefined, async () => undefined],
  'is missing': [{ what: 'missing' }, ({ path }) => rm(path)],
  'cannot be read': [
    { what: 'unreadable', why: expect.stringMatching(/^EISDIR/) as unknown as string },
    ({ path }) => rm(path).then(() => mkdir(path)),
  ],
  'is deleted': [
    undefined,
    async ({ world, stored }) => {
      await world.useCases.archiveConfigurationVersion.execute(world.owner, stored.of);
      await world.performEffects();
    },
  ],
};

const whenever = ['before it is looked for', 'before its first bytes'] as const;
const cases = Object.entries(fates).flatMap(([fate, [found, happens]]) =>
  whenever.map((when) => ({ fate, found, happens, when })),
);

it.each(cases)('of an archive that $fate $when', async ({ fate, found, happens, when }) => {
  await inTemporaryDirectory(async (directory) => {
    const store = new FileBundleStore(directory);
    const world = await World.create({ store: () => store });
    const { id } = await world.uploadedVersion(files, { provisional: true });
    const { key, ...known } = (await world.stateOf(id)).bundle as Bundle;
    const stored = { of: id, key, known };
    const ground = { world, store, stored, path: join(directory, 'kept', key.slice(-2), key) };
    const asking = {
      read: async () => {
        if (when === 'before it is looked for') await happens(ground);
        const bytes = await store.read(key);
        if (when === 'before its first bytes') await happens(ground);
        return bytes;
      },
    };
    const gone = fate === 'is missing' && when === 'before its first bytes';
    const expected = gone ? { what: 'unreadable', why: expect.stringMatching(/discarded before it was read/) } : found;
    expect(await faultOf(stored, world.unitOfWork, asking)).toEqual(expected && { ...stored, ...expected });
  });
});

it('of an archive that a store which is away keeps: what the store says, and why', async () => {
  const world = await World.create();
  const { id } = await world.uploadedVersion(files);
  const { key } = (await world.stateOf(id)).bundle as Bundle;
  const store = {
    read: async () => {
      throw new DomainError('service/unavailable', 'the store is unavailable', {}, new Error('answered 503'));
    },
  };
  const why = 'the store is unavailable: Error: answered 503';
  const stored = { of: id, key, known: null };
  expect(await faultOf(stored, world.unitOfWork, store)).toEqual({ ...stored, what: 'unreadable', why });
});
