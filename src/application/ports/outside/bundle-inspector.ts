import type { PolicyFiles } from '../../../domain/index.js';

/** The properties of a bundle, known once every byte has passed. */
export interface BundleFacts {
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

export interface Inspection {
  /**
   * The same bytes, checked as they pass. A chunk must be used before the next is requested: its memory may then be
   * reused. Reading throws `bundle/malformed` or `bundle/over-limit` at the first fault, at the latest after the last
   * byte: a consumer that stores the bytes must discard them when reading throws.
   */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** May only be called after `bytes` was read to the end. */
  facts(): BundleFacts;
}

/** The inspection of an archive with the policies of a set. */
export interface PolicyInspection extends Inspection {
  /** May only be called after `bytes` was read to the end. */
  files(): PolicyFiles;
}

/** The measurement of bytes of any kind. */
export interface Measurement {
  /** The bytes as they arrive, unchecked. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** May only be called after `bytes` was read to the end. `md5` is lower-case hexadecimal. */
  facts(): BundleFacts & { readonly md5: string };
}

/** Checks that bytes are a gzipped tar whose entries stay inside its root and within the limits. */
export interface BundleInspector {
  /** Takes ownership of chunks that span their whole buffer. */
  inspect(bytes: AsyncIterable<Uint8Array>): Inspection;
  /** Inspects as `inspect` does, and reads the files that a policy set consists of. */
  inspectPolicies(bytes: AsyncIterable<Uint8Array>): PolicyInspection;
  /** Reads to the end for the digest only, within the byte limit. Throws `bundle/over-limit`. */
  digest(bytes: AsyncIterable<Uint8Array>): Promise<BundleFacts>;
  /** For bytes that are not an archive. Applies no limits; takes ownership of chunks as `inspect` does. */
  measure(bytes: AsyncIterable<Uint8Array>): Measurement;
}
