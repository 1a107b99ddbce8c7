import type { BundleKey } from '../../../domain/index.js';

/** First and last byte, both inclusive, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A bundle found by scanning the store. */
export interface BundleFound {
  readonly key: BundleKey;
  readonly bytes: number;
  /** The time since it was begun or completed, by the store's clock. */
  readonly ageSeconds: number;
}

/**
 * Stores bundles by key. Throws `service/unavailable` while it cannot be reached; the operation may then have taken
 * effect. A key identifies one upload attempt: it is written once, and then either kept (a row refers to it) or
 * discarded. Until then it is unsettled, and a sweep finds it.
 */
export interface BundleStore {
  /**
   * Complete and durable when it resolves; if reading `bytes` throws, nothing is stored and the error is passed on.
   * Must finish with a chunk before it requests the next.
   */
  write(key: BundleKey, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Settles an attempt that a row refers to. Idempotent. */
  keep(key: BundleKey): Promise<void>;
  /** Removes the bytes, kept or not. Missing bytes are not an error. */
  discard(key: BundleKey): Promise<void>;
  /**
   * Undefined if there are no such bytes. Nothing is held open until the iteration starts, which throws
   * `resource/not-found` if they were discarded meanwhile; a small part may have been read before. The reader owns the
   * chunks. `size` is the total size, if the caller knows it: a store may read small bundles faster.
   */
  read(key: BundleKey, range?: ByteRange, size?: number): Promise<AsyncIterable<Uint8Array> | undefined>;
  /**
   * An absolute URL from which any client can read the bundle for a limited time, or until it is discarded; undefined
   * if the store has no such URLs and its bundles are read through the service.
   */
  temporaryUrl(key: BundleKey): Promise<string | undefined>;
  /** Attempts begun more than `olderThanSeconds` ago and never settled, finished or not. */
  unsettled(olderThanSeconds: number): Promise<readonly BundleKey[]>;
  /** All bundles, settled or not. A bundle written, settled or discarded meanwhile may be missing or listed twice. */
  all(): AsyncIterable<BundleFound>;
}
