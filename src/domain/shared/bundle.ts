import type { BundleKey } from './id.js';

/** Stored bytes, exactly as uploaded: the `.tar.gz` of a version, a state, or an artifact of a plan. */
export interface Bundle {
  readonly key: BundleKey;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}
