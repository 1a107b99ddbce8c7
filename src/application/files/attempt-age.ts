import { DomainError, type Instant } from '../../domain/index.js';

/**
 * How old an attempt to store a bundle may be, in seconds. Nothing refers to one older than `taken`, which leaves
 * uploads the hour they may last and stores some minutes to take the end of it. From `abandoned` on it is swept. What
 * lies between is far more than a transaction may wait for its end, and than clocks differ: a process that was frozen
 * in the middle of an upload finds it refused, and never its bytes gone afterwards.
 */
export const attemptSeconds = { taken: 4_500, abandoned: 10_800 } as const;

/** Throws `bundle/interrupted` when an attempt is too old. To be asked in the transaction that would refer to it. */
export function refuseOldAttempt(begunAt: Instant, now: Instant): void {
  if (Date.parse(now) - Date.parse(begunAt) <= attemptSeconds.taken * 1000) return;
  throw new DomainError('bundle/interrupted', 'the upload took too long; try again');
}
