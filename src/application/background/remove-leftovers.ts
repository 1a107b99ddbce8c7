import type { BundleKey } from '../../domain/index.js';
import type { BundleStore } from '../ports/outside/bundle-store.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** A bundle in the store that no row refers to. */
export interface Leftover {
  readonly key: BundleKey;
  readonly bytes: number;
  /** Whether its upload never completed. */
  readonly abandoned: boolean;
}

/** The result of scanning the whole store. */
export interface StoreScan {
  readonly leftovers: readonly Leftover[];
  /** The number of bundles that rows refer to. */
  readonly inUse: number;
  /** The number of all bundles. */
  readonly all: number;
}

/**
 * Removes bundles that no row refers to or ever will: those of failed uploads, and those newer than a database restored
 * from a backup.
 */
export class RemoveLeftovers {
  constructor(
    private readonly unitOfWork: UnitOfWork<'storedFiles'>,
    private readonly store: BundleStore,
  ) {}

  /**
   * `olderThanSeconds` must exceed the age of any attempt that a version may still accept. `looked` receives the number
   * of bundles scanned so far.
   */
  async find(olderThanSeconds: number, looked: (bundles: number) => void): Promise<StoreScan> {
    const unsettled = new Set(await this.store.unsettled(olderThanSeconds));
    const leftovers = new Map<BundleKey, Leftover>();
    let inUse = 0;
    let all = 0;
    for await (const { key, bytes, ageSeconds } of this.store.all()) {
      all += 1;
      looked(all);
      const abandoned = unsettled.delete(key);
      if (await this.isReferredTo(key)) inUse += 1;
      else if (ageSeconds >= olderThanSeconds) leftovers.set(key, { key, bytes, abandoned });
    }
    // The store has no complete bundle for these, but possibly parts.
    for (const key of unsettled) {
      if (!(await this.isReferredTo(key))) leftovers.set(key, { key, bytes: 0, abandoned: true });
    }
    return { leftovers: [...leftovers.values()], inUse, all };
  }

  /** Discards a bundle returned by `find`, unless a row refers to it by now. */
  async execute(key: BundleKey): Promise<void> {
    if (!(await this.isReferredTo(key))) await this.store.discard(key);
  }

  private isReferredTo(key: BundleKey): Promise<boolean> {
    return this.unitOfWork.read((tx) => tx.storedFiles.refersTo(key));
  }
}
