import type { DomainError } from '../../domain/index.js';
import { overQuota } from '../../domain/supporting/organizations/over-quota.js';
import type { Settings } from '../ports/outside/settings.js';
import type { KeptBy } from '../ports/repositories/kept-bytes.js';
import type { Transaction } from '../ports/repositories/unit-of-work.js';

/** Passes bytes on, up to the available quota. */
export type WithinRoom = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/**
 * Limits the bytes an organization keeps. It is checked for new versions, uploads and runs, but not for states and
 * artifacts of a run: those are counted and always stored. Executes no statement without a limit.
 */
export class ByteQuota {
  private readonly limit: number;

  constructor({ maxOrganizationBytes }: Pick<Settings, 'maxOrganizationBytes'>) {
    this.limit = maxOrganizationBytes;
  }

  async isUsedUp(tx: Transaction<'keptBytes'>, place: KeptBy): Promise<boolean> {
    return this.limit > 0 && (await tx.keptBytes.of(place)) >= this.limit;
  }

  /** Throws `organization/over-quota` if the quota is reached. */
  async refuseMore(tx: Transaction<'keptBytes'>, place: KeptBy): Promise<void> {
    if (this.limit === 0) return;
    const kept = await tx.keptBytes.of(place);
    if (kept >= this.limit) throw overQuota(kept, this.limit);
  }

  /**
   * The available quota, plus the bytes that the upload replaces. The returned function throws
   * `organization/over-quota` at the first chunk beyond it.
   */
  async room(tx: Transaction<'keptBytes'>, place: KeptBy, replaced = 0): Promise<WithinRoom> {
    if (this.limit === 0) return (bytes) => bytes;
    const kept = await tx.keptBytes.of(place);
    const room = Math.max(0, this.limit - kept) + replaced;
    return (bytes) => cut(bytes, room, () => overQuota(kept, this.limit));
  }

  /**
   * Must be called after the transaction has written rows that keep `added` more bytes: it then locks the counter, so
   * that concurrent transactions cannot exceed the limit together. Throws `organization/over-quota`. A decrease is
   * never refused.
   */
  async refuseExcess(tx: Transaction<'keptBytes'>, place: KeptBy, added: number): Promise<void> {
    if (this.limit === 0 || added <= 0) return;
    const kept = await tx.keptBytes.of(place);
    if (kept > this.limit) throw overQuota(kept - added, this.limit);
  }
}

async function* cut(
  bytes: AsyncIterable<Uint8Array>,
  room: number,
  refusal: () => DomainError,
): AsyncGenerator<Uint8Array> {
  let left = room;
  for await (const chunk of bytes) {
    left -= chunk.byteLength;
    if (left < 0) throw refusal();
    yield chunk;
  }
}
