import { type Bundle, type DomainError, isRefusal } from '../../domain/index.js';
import { refuseOldAttempt } from '../files/attempt-age.js';
import type { BundleStore } from '../ports/outside/bundle-store.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Transaction } from '../ports/repositories/unit-of-work.js';

/** An effect whose work outside the database is done. */
export interface Begun {
  /** The effect's database changes, in the transaction that records it as performed. */
  readonly keep?: ((tx: Transaction) => Promise<void>) | undefined;
  /** Called after that commits; `kept` is false if another process had performed it in the meantime. */
  readonly afterwards?: (kept: boolean) => Promise<void>;
}

/**
 * An effect that fetches files into the store. `take` returns whether the files were attached; otherwise they are
 * discarded. A refusal of `fetch` is passed to `refuse`; its other errors are thrown, and the effect is retried.
 */
export async function fetchedFiles<Fetched extends { readonly bundle: Bundle }>(
  { clock, store }: { readonly clock: Clock; readonly store: BundleStore },
  fetch: () => Promise<Fetched>,
  take: (tx: Transaction, fetched: Fetched) => Promise<boolean>,
  refuse: (tx: Transaction, reason: DomainError) => Promise<void>,
): Promise<Begun> {
  const begunAt = clock.now();
  let fetched: Fetched;
  try {
    fetched = await fetch();
  } catch (error) {
    if (isRefusal(error)) return { keep: (tx) => refuse(tx, error) };
    throw error;
  }
  let taken = false;
  return {
    keep: async (tx) => {
      refuseOldAttempt(begunAt, clock.now());
      taken = await take(tx, fetched);
    },
    afterwards: (kept) => (kept && taken ? store.keep(fetched.bundle.key) : store.discard(fetched.bundle.key)),
  };
}
