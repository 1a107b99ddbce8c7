import type { BundleFound, BundleStore, ByteRange } from '../../application/index.js';
import { type BundleKey, isRefusal } from '../../domain/index.js';
import type { Meters } from './meters.js';

/** Measures each operation of another store. */
export class MeteredBundleStore implements BundleStore {
  private readonly work: Meters['store'];

  constructor(
    private readonly inner: BundleStore,
    meters: Meters,
  ) {
    this.work = meters.store;
  }

  write(key: BundleKey, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    let fault: { readonly of: unknown } | undefined;
    const noted = noting(bytes, (error) => {
      fault = { of: error };
    });
    // An error while reading the bytes is passed on; it is the client's fault, or not a fault.
    return this.work.write.measure(
      performance.now(),
      this.inner.write(key, noted),
      (error) => error !== fault?.of && !isRefusal(error),
    );
  }

  keep(key: BundleKey): Promise<void> {
    return this.work.keep.measure(performance.now(), this.inner.keep(key));
  }

  discard(key: BundleKey): Promise<void> {
    return this.work.discard.measure(performance.now(), this.inner.discard(key));
  }

  read(key: BundleKey, range?: ByteRange, size?: number): Promise<AsyncIterable<Uint8Array> | undefined> {
    return this.work.read.measure(performance.now(), this.inner.read(key, range, size));
  }

  temporaryUrl(key: BundleKey): Promise<string | undefined> {
    return this.work.sign.measure(performance.now(), this.inner.temporaryUrl(key));
  }

  unsettled(olderThanSeconds: number): Promise<readonly BundleKey[]> {
    return this.work.sweep.measure(performance.now(), this.inner.unsettled(olderThanSeconds));
  }

  all(): AsyncIterable<BundleFound> {
    return this.inner.all();
  }
}

/** The same bytes; calls `note` with the error when reading them fails. */
const noting = <Item>(items: AsyncIterable<Item>, note: (error: unknown) => void): AsyncIterable<Item> => ({
  [Symbol.asyncIterator]: () => {
    const iterator = items[Symbol.asyncIterator]();
    return {
      next: () => {
        const next = iterator.next();
        void next.then(undefined, note);
        return next;
      },
      return: async (value) => (await iterator.return?.(value)) ?? { done: true, value },
    };
  },
});
