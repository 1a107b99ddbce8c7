import type { BundleKey } from '../../domain/index.js';
import type { BundleStore } from '../ports/outside/bundle-store.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** Bytes in the store to which no row refers. */
export interface Leftover {
  readonly key: BundleKey;
  readonly bytes: number;
  /** Whether their upload never came to its end. */
  readonly abandoned: boolean;
}

/** What a look through the whole store came to. */
export interface StoreLookedThrough {
  readonly leftovers: readonly Leftover[];
  /** How many bundles rows refer to. */
  readonly inUse: number;
  /** How many bundles there are. */
  readonly all: number;
}

/**
 * Takes away what no row refers to and none ever will: what broken uploads left, and what is younger than the database
 * where that was restored to an older state.
 */
export class RemoveLeftovers {
  constructor(
    private readonly unitOfWork: UnitOfWork<'storedFiles'>,
    private readonly store: BundleStore,
  ) {}

  /** `olderThanSeconds` must outlast any attempt that a version may still take. `looked` hears how far it has come. */
  async find(olderThanSeconds: number, looked: (bundles: number) => void): Promise<StoreLookedThrough> {
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
    // Of these the store has no whole bundle, but perhaps parts.
    for (const key of unsettled) {
      if (!(await this.isReferredTo(key))) leftovers.set(key, { key, bytes: 0, abandoned: true });
    }
    return { leftovers: [...leftovers.values()], inUse, all };
  }

  /** Discards one that `find` answered, unless a row refers to it after all. */
  async execute(key: BundleKey): Promise<void> {
    if (!(await this.isReferredTo(key))) await this.store.discard(key);
  }

  private isReferredTo(key: BundleKey): Promise<boolean> {
    return this.unitOfWork.read((tx) => tx.storedFiles.refersTo(key));
  }
}
