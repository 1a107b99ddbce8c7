import type { ArtifactName, Bundle, BundleKey, RunId } from '../../../domain/index.js';

/** What agents leave of the plans of runs. What hangs on a deleted workspace or organization is missing. */
export interface RunArtifacts {
  find(id: RunId, name: ArtifactName): Promise<Bundle | undefined>;
  /** Answers the bytes it takes the place of; null for none. Two may not do it at once: in the workspace's turn. */
  put(id: RunId, name: ArtifactName, bundle: Bundle): Promise<BundleKey | null>;
  /** One of them, or all. Answers the bytes nothing refers to any more. */
  drop(id: RunId, name?: ArtifactName): Promise<readonly BundleKey[]>;
}
