import type { DomainError } from '../../domain/index.js';
import { overQuota } from '../../domain/supporting/organizations/over-quota.js';
import type { Settings } from '../ports/outside/settings.js';
import type { KeptBy } from '../ports/repositories/kept-bytes.js';
import type { Transaction } from '../ports/repositories/unit-of-work.js';

/** Passes bytes on, up to what there is room for. */
export type WithinRoom = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/**
 * Bounds what an organization keeps. It is asked before new versions, uploads and runs, and never for a state or an
 * artifact of a run: those are counted, and always kept. Runs no statement while there is no limit.
 */
export class ByteQuota {
  private readonly limit: number;

  constructor({ maxOrganizationBytes }: Pick<Settings, 'maxOrganizationBytes'>) {
    this.limit = maxOrganizationBytes;
  }

  async isUsedUp(tx: Transaction<'keptBytes'>, place: KeptBy): Promise<boolean> {
    return this.limit > 0 && (await tx.keptBytes.of(place)) >= this.limit;
  }

  /** Throws `organization/over-quota` where nothing more may be kept. */
  async refuseMore(tx: Transaction<'keptBytes'>, place: KeptBy): Promise<void> {
    if (this.limit === 0) return;
    const kept = await tx.keptBytes.of(place);
    if (kept >= this.limit) throw overQuota(kept, this.limit);
  }

  /**
   * The room there is now, plus the bytes that the upload replaces. What it returns throws `organization/over-quota` at the first chunk
   * beyond it.
   */
  async room(tx: Transaction<'keptBytes'>, place: KeptBy, replaced = 0): Promise<WithinRoom> {
    if (this.limit === 0) return (bytes) => bytes;
    const kept = await tx.keptBytes.of(place);
    const room = Math.max(0, this.limit - kept) + replaced;
    return (bytes) => cut(bytes, room, () => overQuota(kept, this.limit));
  }

  /**
   * To be called once the transaction has written rows that keep `added` bytes more: it then holds the counter, so that
   * no two transactions exceed the limit together. Throws `organization/over-quota`. What shrinks is never refused.
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
