import type { ArtifactName, Bundle, BundleKey, RunId } from '../../../domain/index.js';

/** The artifacts of plans that agents store. Those of a deleted workspace or organization are missing. */
export interface RunArtifacts {
  find(id: RunId, name: ArtifactName): Promise<Bundle | undefined>;
  /**
   * Returns the key of the replaced bytes; null without any. Must be called with the workspace's row locked, since
   * concurrent calls are not allowed.
   */
  put(id: RunId, name: ArtifactName, bundle: Bundle): Promise<BundleKey | null>;
  /** Removes one artifact, or all. Returns the keys of bundles that no row refers to any more. */
  drop(id: RunId, name?: ArtifactName): Promise<readonly BundleKey[]>;
}
