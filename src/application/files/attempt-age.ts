import { DomainError, type Instant } from '../../domain/index.js';

/**
 * The age limits of an upload attempt, in seconds. A row never starts to refer to an attempt older than `taken`, which
 * allows an hour for the upload and some minutes for the store to complete it. From `abandoned` on the attempt is
 * swept. The interval in between far exceeds the time a transaction may wait to commit and the difference between
 * clocks: a process that was suspended during an upload has it refused, and never loses the bytes afterwards.
 */
export const attemptSeconds = { taken: 4_500, abandoned: 10_800 } as const;

/** Throws `bundle/interrupted` if an attempt is too old. Must be called in the transaction that would refer to it. */
export function refuseOldAttempt(begunAt: Instant, now: Instant): void {
  if (Date.parse(now) - Date.parse(begunAt) <= attemptSeconds.taken * 1000) return;
  throw new DomainError('bundle/interrupted', 'the upload took too long; try again');
}
