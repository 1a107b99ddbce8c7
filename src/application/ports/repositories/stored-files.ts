import type { BundleKey } from '../../../domain/index.js';

/** A stored bundle that a row refers to. */
export interface StoredFile {
  readonly key: BundleKey;
  /** The id of its configuration version, state version, run or policy set version. */
  readonly of: string;
  /** Null for files that a run fetched for itself, which are only known by their key. */
  readonly known: { readonly bytes: number; readonly sha256: string } | null;
}

/** Everything in the bundle store that the database refers to. */
export interface StoredFiles {
  /** Whether any row refers to it, including rows of deleted resources not yet removed. One statement. */
  refersTo(key: BundleKey): Promise<boolean>;
  /** The files of all resources that are not deleted, ordered by key, after `after`. */
  page(limit: number, after?: BundleKey): Promise<readonly StoredFile[]>;
}
