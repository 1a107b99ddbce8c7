import type { Effect } from '../../src/application/index.js';
import {
  type Claim,
  type ClaimedEffect,
  laneOf,
  type PendingEffect,
  type Transaction,
} from '../../src/application/index.js';
import { noon } from './builders.js';

/** A claim of all that is due at noon. */
export const aClaim = (lane: Claim['lane'], given: Partial<Claim> = {}): Claim => ({
  now: noon,
  until: noon,
  lane,
  limit: 100,
  after: '',
  except: [],
  ...given,
});

/** Claims effects of these kinds, whichever lanes they have. */
export async function claimed(
  tx: Transaction<'effects'>,
  kinds: readonly Effect['kind'][],
  given: Partial<Claim> = {},
): Promise<readonly ClaimedEffect[]> {
  const found: ClaimedEffect[] = [];
  for (const lane of new Set(kinds.map(laneOf))) {
    const limit = (given.limit ?? 100) - found.length;
    if (limit > 0) found.push(...(await tx.effects.claim(aClaim(lane, { ...given, kinds, limit }))));
  }
  return found.sort((a, b) => a.id - b.id);
}

export const asPending = ({ id, effect, attempts, lastError }: PendingEffect): PendingEffect => ({
  id,
  effect,
  attempts,
  lastError,
});
