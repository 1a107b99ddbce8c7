import { type BundleKey, isDomainError } from '../../domain/index.js';
import type { BundleStore } from '../ports/outside/bundle-store.js';
import type { Clock } from '../ports/outside/clock.js';
import type { RepositoryName, Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { refuseOldAttempt } from './attempt-age.js';

/** The dependencies of an upload attempt. */
export interface AttemptOn<Names extends RepositoryName> {
  readonly unitOfWork: UnitOfWork<Names>;
  readonly clock: Clock;
  readonly store: BundleStore;
}

/**
 * Writes bytes under a new key without an open transaction, then lets a short transaction refer to them. `take` returns
 * whether it did; otherwise the bytes are discarded. Errors of `bytes` or `take` are passed on, and nothing is stored;
 * an attempt that took too long throws `bundle/interrupted`.
 */
export async function storeBytes<Names extends RepositoryName>(
  { unitOfWork, clock, store }: AttemptOn<Names>,
  key: BundleKey,
  bytes: AsyncIterable<Uint8Array>,
  take: (tx: Transaction<Names>) => Promise<boolean>,
): Promise<void> {
  const begunAt = clock.now();
  await store.write(key, bytes);
  let taken: boolean;
  try {
    taken = await unitOfWork.run(async (tx) => {
      const takes = await take(tx);
      if (takes) refuseOldAttempt(begunAt, clock.now());
      return takes;
    });
  } catch (error) {
    // A refusal or a full disk means that nothing was committed; after any other failure the sweep checks the database.
    const keptNothing = isDomainError(error) && error.code !== 'service/unavailable';
    if (keptNothing) await store.discard(key).catch(() => undefined);
    throw error;
  }
  // The result stands: if settling the attempt fails here, the sweep does it.
  await (taken ? store.keep(key) : store.discard(key)).catch(() => undefined);
}
