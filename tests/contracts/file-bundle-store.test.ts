import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import { FileBundleStore } from '../../src/adapters/files/file-bundle-store.js';
import { inTemporaryDirectory } from '../support/process.js';

const bytes = Buffer.from('the bytes of a bundle');

async function* chunks() {
  yield bytes;
}

/** Moves files as other processes' discards do, for as long as there is a place to set them aside. */
const discardUntilForgotten = `
  const { renameSync, writeFileSync } = require('node:fs');
  const { parentPort, workerData: path } = require('node:worker_threads');
  for (let at = 0; ; at += 1) {
    writeFileSync(path + '/file', '');
    try {
      renameSync(path + '/file', path + '/set-aside/bundle-' + at);
    } catch {
      break;
    }
    if (at === 20) parentPort.postMessage('begun');
  }`;

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
    'shares bundles discarded meanwhile, which other stores can no longer read',
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

  it(
    'forgets what was set aside while others discard without a pause, and leaves nothing of it',
    within(async (store, _, directory) => {
      const path = join(directory, 'store');
      for (let round = 0; round < 5; round += 1) {
        await store.setDiscardedAside();
        const others = new Worker(discardUntilForgotten, { eval: true, workerData: path });
        const ended = once(others, 'exit');
        try {
          await once(others, 'message');
          await store.forgetSetAside();
        } finally {
          await others.terminate();
          await ended;
        }
        expect(readdirSync(path).filter((name) => name !== 'file')).toEqual([]);
      }
    }),
  );
});
