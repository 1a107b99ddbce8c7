import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { openBundle } from '../../src/application/files/open-bundle.js';
import { DomainError, notFound } from '../../src/domain/index.js';
import { MemoryBundleStore } from '../support/memory-bundle-store.js';

const bytes = Buffer.from('the bytes of a bundle');
const bundle = { key: 'bundle-1', bytes: bytes.length };
const missing = new DomainError('resource/not-found', 'the run has no plan file');

async function filled<Store extends MemoryBundleStore>(store: Store): Promise<Store> {
  await store.write(bundle.key, [bytes] as unknown as AsyncIterable<Uint8Array>);
  await store.keep(bundle.key);
  return store;
}

/** Its bytes are there when they are looked up, and fail when they are read, as those of a directory or a bucket can. */
class FailingStore extends MemoryBundleStore {
  constructor(private readonly error: Error) {
    super();
  }

  override async read(key: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { error } = this;
    return (await super.read(key)) && { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
  }
}

describe('opening a bundle', () => {
  it('gives all of its bytes', async () => {
    const opened = await openBundle(await filled(new MemoryBundleStore()), bundle, missing);
    expect(await buffer(opened)).toEqual(bytes);
  });

  it('is refused in the caller’s words where there is none, and where its bytes went away since they were looked up', async () => {
    const store = await filled(new MemoryBundleStore());
    for (const [at, what] of [
      [store, null],
      [store, undefined],
      [store, { key: 'another', bytes: 1 }],
      [await filled(new FailingStore(notFound())), bundle],
    ] as const) {
      await expect(openBundle(at, what, missing)).rejects.toBe(missing);
    }
  });

  it.each([new Error('the disk is gone'), new DomainError('service/unavailable', 'try again')])(
    'passes on that its bytes cannot be read: %s',
    async (error) => {
      await expect(openBundle(await filled(new FailingStore(error)), bundle, missing)).rejects.toBe(error);
    },
  );
});
