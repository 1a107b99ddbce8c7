import { goneSince } from '../../src/adapters/files/bundle-faults.js';
import { checkKey } from '../../src/adapters/files/bundle-key.js';
import type { BundleFound, BundleStore, ByteRange } from '../../src/application/ports/outside/bundle-store.js';
import type { BundleKey } from '../../src/domain/index.js';

interface Attempt {
  readonly begunAt: number;
  settled: boolean;
  /** Undefined until it is complete. */
  bytes: Buffer | undefined;
}

/** Keeps bundles in the memory of the process. */
export class MemoryBundleStore implements BundleStore {
  private readonly attempts = new Map<BundleKey, Attempt>();

  /** `now` returns milliseconds. */
  constructor(private readonly now: () => number = Date.now) {}

  async write(key: BundleKey, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.attempts.has(checkKey(key))) throw new Error(`bundle ${key} is written already`);
    const attempt: Attempt = { begunAt: this.now(), settled: false, bytes: undefined };
    this.attempts.set(key, attempt);
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of bytes) chunks.push(Buffer.from(chunk));
      attempt.bytes = Buffer.concat(chunks);
    } catch (error) {
      this.attempts.delete(key);
      throw error;
    }
  }

  async keep(key: BundleKey): Promise<void> {
    const attempt = this.attempts.get(checkKey(key));
    if (attempt !== undefined) attempt.settled = true;
  }

  async discard(key: BundleKey): Promise<void> {
    this.attempts.delete(checkKey(key));
  }

  async read(key: BundleKey, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined> {
    const bytes = this.attempts.get(checkKey(key))?.bytes;
    return bytes && this.chunks(key, range);
  }

  async temporaryUrl(): Promise<undefined> {
    return undefined;
  }

  async unsettled(olderThanSeconds: number): Promise<readonly BundleKey[]> {
    const before = this.now() - olderThanSeconds * 1000;
    const open = [...this.attempts].filter(([, attempt]) => !attempt.settled && attempt.begunAt < before);
    return open.map(([key]) => key);
  }

  async *all(): AsyncGenerator<BundleFound> {
    for (const [key, { begunAt, bytes }] of [...this.attempts]) {
      yield { key, bytes: bytes?.length ?? 0, ageSeconds: (this.now() - begunAt) / 1000 };
    }
  }

  private async *chunks(key: BundleKey, range: ByteRange | undefined): AsyncGenerator<Uint8Array> {
    const bytes = this.attempts.get(key)?.bytes;
    if (bytes === undefined) throw goneSince(key);
    const chunkBytes = 64 * 1024;
    const end = Math.min(range === undefined ? bytes.length : range.end + 1, bytes.length);
    for (let at = range?.start ?? 0; at < end; at += chunkBytes)
      yield Buffer.from(bytes.subarray(at, Math.min(at + chunkBytes, end)));
  }
}
