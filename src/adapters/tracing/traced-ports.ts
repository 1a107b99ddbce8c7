import type { BundleFound, BundleStore, ByteRange, Transaction, UnitOfWork } from '../../application/index.js';
import type { BundleKey } from '../../domain/index.js';

/** Does the work as a part, by this name, of whatever is going on. */
export type Within = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

export class TracedUnitOfWork implements UnitOfWork {
  constructor(
    private readonly inner: UnitOfWork,
    private readonly within: Within,
  ) {}

  run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.within('database transaction', () => this.inner.run(work));
  }

  read<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.within('database read', () => this.inner.read(work));
  }
}

export class TracedBundleStore implements BundleStore {
  constructor(
    private readonly inner: BundleStore,
    private readonly within: Within,
  ) {}

  write(key: BundleKey, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    return this.within('bundle store write', () => this.inner.write(key, bytes));
  }

  keep(key: BundleKey): Promise<void> {
    return this.within('bundle store keep', () => this.inner.keep(key));
  }

  discard(key: BundleKey): Promise<void> {
    return this.within('bundle store discard', () => this.inner.discard(key));
  }

  read(key: BundleKey, range?: ByteRange, size?: number): Promise<AsyncIterable<Uint8Array> | undefined> {
    return this.within('bundle store read', () => this.inner.read(key, range, size));
  }

  temporaryUrl(key: BundleKey): Promise<string | undefined> {
    return this.within('bundle store sign', () => this.inner.temporaryUrl(key));
  }

  unsettled(olderThanSeconds: number): Promise<readonly BundleKey[]> {
    return this.inner.unsettled(olderThanSeconds);
  }

  all(): AsyncIterable<BundleFound> {
    return this.inner.all();
  }
}
