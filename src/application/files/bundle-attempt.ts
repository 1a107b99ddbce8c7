import { type BundleKey, isDomainError } from '../../domain/index.js';
import type { BundleStore } from '../ports/outside/bundle-store.js';
import type { Clock } from '../ports/outside/clock.js';
import type { RepositoryName, Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { refuseOldAttempt } from './attempt-age.js';

/** What an attempt to store bytes stands on. */
export interface AttemptOn<Names extends RepositoryName> {
  readonly unitOfWork: UnitOfWork<Names>;
  readonly clock: Clock;
  readonly store: BundleStore;
}

/**
 * Writes bytes under a new key with nothing open, then lets one short transaction refer to them. `take` answers whether it
 * did: bytes that found no owner are dropped. What `bytes` or `take` throws is passed on, with nothing left behind; of an
 * attempt that took too long `bundle/interrupted` is thrown.
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
    // A refusal or a full disk is sure to have kept nothing; after any other failure the sweep asks the database.
    const keptNothing = isDomainError(error) && error.code !== 'service/unavailable';
    if (keptNothing) await store.discard(key).catch(() => undefined);
    throw error;
  }
  // Whoever took the bytes has them: settling them is done by the sweep where it fails here.
  await (taken ? store.keep(key) : store.discard(key)).catch(() => undefined);
}
