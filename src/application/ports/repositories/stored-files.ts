import type { BundleKey } from '../../../domain/index.js';

/** Bytes that a row refers to. */
export interface StoredFile {
  readonly key: BundleKey;
  /** The id of the configuration version, state version or run that has them. */
  readonly of: string;
  /** Null for what a run fetched for itself, which goes by its key alone. */
  readonly known: { readonly bytes: number; readonly sha256: string } | null;
}

/** Everything in the bundle store that the database refers to, whatever it is. */
export interface StoredFiles {
  /** Whether any row does, also one of what is deleted and not taken away yet. One statement. */
  refersTo(key: BundleKey): Promise<boolean>;
  /** Of all that is not deleted, in the order of their keys, from beyond `after` on. */
  page(limit: number, after?: BundleKey): Promise<readonly StoredFile[]>;
}
