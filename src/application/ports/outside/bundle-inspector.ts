/** What is known of a bundle once every byte has passed. */
export interface BundleFacts {
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

export interface Inspection {
  /**
   * The same bytes, checked as they pass. A chunk is to be used before the next is asked for: its memory may then be used
   * for something else. Reading throws `bundle/malformed` or `bundle/over-limit` at the first fault,
   * at the latest after the last byte: whoever stores them must drop what it has when reading throws.
   */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Only after `bytes` was read to its end. */
  facts(): BundleFacts;
}

/** The same of bytes of any kind. */
export interface Measurement {
  /** As they come, unchecked. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Only after `bytes` was read to its end. `md5` is lower-case hexadecimal. */
  facts(): BundleFacts & { readonly md5: string };
}

/** Checks that bytes are a gzipped tar whose entries stay inside its root and within the limits. */
export interface BundleInspector {
  /** Takes over the chunks that are the whole of their buffers. */
  inspect(bytes: AsyncIterable<Uint8Array>): Inspection;
  /** Reads to the end for the digest alone, within the limit on bytes. Throws `bundle/over-limit`. */
  digest(bytes: AsyncIterable<Uint8Array>): Promise<BundleFacts>;
  /** For what is no archive. Nothing of it is limited here; takes over chunks as `inspect` does. */
  measure(bytes: AsyncIterable<Uint8Array>): Measurement;
}
