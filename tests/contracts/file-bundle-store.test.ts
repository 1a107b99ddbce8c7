import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { FileBundleStore } from '../../src/adapters/bundles/file-bundle-store.js';
import { inTemporaryDirectory } from '../support/process.js';

const bytes = Buffer.from('the bytes of a bundle');

async function* chunks() {
  yield bytes;
}

const within = (test: (store: FileBundleStore, copy: FileBundleStore, directory: string) => Promise<void>) => () =>
  inTemporaryDirectory((directory) =>
    test(new FileBundleStore(join(directory, 'store')), new FileBundleStore(join(directory, 'copy')), directory),
  );

describe('a store of files that is being copied', () => {
  it(
    'shares what is settled and what is not, and no more of it than was asked for',
    within(async (store, copy) => {
      await store.write('kept', chunks());
      await store.keep('kept');
      await store.write('unsettled', chunks());
      for (const key of ['kept', 'unsettled', 'kept']) expect(await store.shareWith(copy, key)).toBe(true);
      expect(await store.shareWith(copy, 'unknown')).toBe(false);
      for (const key of ['kept', 'unsettled']) {
        await store.discard(key);
        expect(await buffer((await copy.read(key)) as AsyncIterable<Uint8Array>)).toEqual(bytes);
      }
      expect(await copy.unsettled(0)).toEqual([]);
    }),
  );

  it(
    'shares what is discarded meanwhile, which nobody else can read any more',
    within(async (store, copy, directory) => {
      for (const key of ['before', 'meanwhile', 'unsettled']) await store.write(key, chunks());
      for (const key of ['before', 'meanwhile']) await store.keep(key);
      await store.discard('before');
      await store.setDiscardedAside();
      const another = new FileBundleStore(join(directory, 'store'));
      for (const key of ['meanwhile', 'unsettled']) {
        await another.discard(key);
        expect(await store.read(key)).toBeUndefined();
        expect(await store.shareWith(copy, key)).toBe(true);
      }
      expect(await store.shareWith(copy, 'before')).toBe(false);
      await store.forgetSetAside();
      expect(await store.shareWith(new FileBundleStore(join(directory, 'late')), 'meanwhile')).toBe(false);
      expect(readdirSync(join(directory, 'store')).sort()).toEqual(['incoming', 'kept']);
    }),
  );
});
