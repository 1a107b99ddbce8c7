import type { RunArtifacts } from '../../../application/ports/repositories/run-artifacts.js';
import { type ArtifactName, artifactNames, type Bundle, type BundleKey, type RunId } from '../../../domain/index.js';
import type { CurrentTables } from './memory-tables.js';

export const artifactKey = (id: RunId, name: ArtifactName): string => `${id} ${name}`;

export class MemoryRunArtifacts implements RunArtifacts {
  constructor(private readonly tables: CurrentTables) {}

  async find(id: RunId, name: ArtifactName): Promise<Bundle | undefined> {
    const tables = this.tables();
    const run = tables.runs.get(id);
    if (run === undefined || tables.workspace(run.workspaceId) === undefined) return undefined;
    return tables.runArtifacts.get(artifactKey(id, name));
  }

  async put(id: RunId, name: ArtifactName, bundle: Bundle): Promise<BundleKey | null> {
    const [replaced = null] = await this.drop(id, name);
    this.tables().runArtifacts.set(artifactKey(id, name), bundle);
    return replaced;
  }

  async drop(id: RunId, name?: ArtifactName): Promise<readonly BundleKey[]> {
    const { runArtifacts } = this.tables();
    return (name === undefined ? artifactNames : [name]).flatMap((one) => {
      const bundle = runArtifacts.get(artifactKey(id, one));
      runArtifacts.delete(artifactKey(id, one));
      return bundle?.key ?? [];
    });
  }
}
