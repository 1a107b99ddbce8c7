import type { BundleKey } from '../../../domain/index.js';

/** First and last byte, both included, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A bundle as whoever looks through a store finds it. */
export interface BundleFound {
  readonly key: BundleKey;
  readonly bytes: number;
  /** Since it was begun, or since it was whole, by the store's clock. */
  readonly ageSeconds: number;
}

/**
 * Holds bundles by key. Throws `service/unavailable` while it cannot be reached; what was asked may then have happened.
 * A key names one upload attempt: it is written once, and then either kept (a version refers to
 * it) or discarded. Until one of the two is said it is unsettled, and whoever sweeps finds it.
 */
export interface BundleStore {
  /**
   * Whole and durable when it resolves; when reading `bytes` throws, nothing is left and the error is passed on. Has used
   * a chunk before it asks for the next.
   */
  write(key: BundleKey, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Settles an attempt that a version refers to. Saying it again does nothing. */
  keep(key: BundleKey): Promise<void>;
  /** Removes the bytes, kept or not. Missing ones are no error. */
  discard(key: BundleKey): Promise<void>;
  /**
   * Undefined when there are no such bytes. Nothing is held open until the iteration starts, which throws
   * `resource/not-found` when they were discarded since; little may have been read before. The chunks are the reader's. `size` is how many there are in all, where the caller knows: a store may be
   * quicker with few.
   */
  read(key: BundleKey, range?: ByteRange, size?: number): Promise<AsyncIterable<Uint8Array> | undefined>;
  /**
   * An absolute URL from which anybody reads the bundle for a bounded time, or until it is discarded; undefined where
   * the store gives none and its bundles are read through the service.
   */
  temporaryUrl(key: BundleKey): Promise<string | undefined>;
  /** Attempts begun longer than `olderThanSeconds` ago and never settled, finished or not. */
  unsettled(olderThanSeconds: number): Promise<readonly BundleKey[]>;
  /** All there are, settled or not. What is written, settled or discarded meanwhile may be there, also twice, or not. */
  all(): AsyncIterable<BundleFound>;
}
