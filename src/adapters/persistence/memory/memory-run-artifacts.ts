import type { RunArtifacts } from '../../../application/ports/repositories/run-artifacts.js';
import type { RunLogs } from '../../../application/ports/repositories/run-repository.js';
import {
  type ArtifactName,
  artifactNames,
  type Bundle,
  type BundleKey,
  DomainError,
  type Phase,
  type RunId,
  type RunState,
  type WorkspaceId,
} from '../../../domain/index.js';
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

export const runLogKey = (id: RunId, phase: Phase): string => `${id} ${phase}`;

const noBytes = new Uint8Array();

export class MemoryRunLogs implements RunLogs {
  constructor(
    private readonly tables: CurrentTables,
    private readonly grown: (id: WorkspaceId) => void,
  ) {}

  async size(id: RunId, phase: Phase): Promise<number> {
    return this.bytesOf(id, phase).length;
  }

  async append(
    { id, workspaceId }: Pick<RunState, 'id' | 'workspaceId'>,
    phase: Phase,
    offset: number,
    bytes: Uint8Array,
  ): Promise<void> {
    const present = this.bytesOf(id, phase);
    if (present.length !== offset) {
      throw new DomainError('shared/stale-revision', `the ${phase} log of ${id} was written by another request`);
    }
    const next = new Uint8Array(present.length + bytes.length);
    next.set(present);
    next.set(bytes, offset);
    this.tables().runLogs.set(runLogKey(id, phase), next);
    if (bytes.length > 0) this.grown(workspaceId);
  }

  async read(id: RunId, phase: Phase, offset: number, limit: number): Promise<Uint8Array> {
    return this.bytesOf(id, phase).slice(offset, offset + limit);
  }

  async drop(id: RunId, phase: Phase): Promise<void> {
    this.tables().runLogs.delete(runLogKey(id, phase));
  }

  private bytesOf(id: RunId, phase: Phase): Uint8Array {
    return this.tables().runLogs.get(runLogKey(id, phase)) ?? noBytes;
  }
}
