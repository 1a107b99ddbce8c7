import type { BundleStore } from '../ports/outside/bundle-store.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** Settles upload attempts that a crash left open: kept if a row refers to them, discarded otherwise. */
export class SweepBundles {
  constructor(
    private readonly unitOfWork: UnitOfWork<'storedFiles'>,
    private readonly store: BundleStore,
  ) {}

  /**
   * `olderThanSeconds` must exceed the age of any attempt that a version may still accept. Returns the number
   * discarded. A failure does not block the others: all are tried before the first failure is thrown.
   */
  async execute(olderThanSeconds: number): Promise<number> {
    let discarded = 0;
    const failures: unknown[] = [];
    for (const key of await this.store.unsettled(olderThanSeconds)) {
      const live = await this.unitOfWork.read((tx) => tx.storedFiles.refersTo(key));
      try {
        await (live ? this.store.keep(key) : this.store.discard(key));
        if (!live) discarded += 1;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return discarded;
  }
}
