import type { BundleKey } from './id.js';

/** Stored bytes, exactly as they were uploaded: the `.tar.gz` of a version, a state, or what a plan has left. */
export interface Bundle {
  readonly key: BundleKey;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}
