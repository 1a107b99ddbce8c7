import type { StoredFile, StoredFiles } from '../../../application/ports/repositories/stored-files.js';
import {
  artifactNames,
  type Bundle,
  type BundleKey,
  type OrganizationId,
  type WorkspaceId,
} from '../../../domain/index.js';
import { artifactKey } from './memory-run-artifacts.js';
import { type CurrentTables, compare, type MemoryTables } from './memory-tables.js';

interface Held extends StoredFile {
  readonly place: { readonly workspaceId: WorkspaceId } | { readonly organizationId: OrganizationId };
}

const heldBy = (of: string, place: Held['place'], bundle: Bundle | null | undefined): readonly Held[] =>
  bundle ? [{ of, place, key: bundle.key, known: { bytes: bundle.bytes, sha256: bundle.sha256 } }] : [];

export class MemoryStoredFiles implements StoredFiles {
  constructor(private readonly tables: CurrentTables) {}

  async refersTo(key: BundleKey): Promise<boolean> {
    return this.all().some((held) => held.key === key);
  }

  async page(limit: number, after: BundleKey = ''): Promise<readonly StoredFile[]> {
    const tables = this.tables();
    return this.all()
      .filter(({ key, place }) => key > after && isLiving(tables, place))
      .sort((a, b) => compare(a.key, b.key))
      .slice(0, limit)
      .map(({ key, of, known }) => ({ key, of, known }));
  }

  private all(): readonly Held[] {
    const { configurationVersions, runs, runArtifacts, stateVersions, policySetVersions } = this.tables();
    return [
      ...[...configurationVersions.values(), ...stateVersions.values()].flatMap(({ id, workspaceId, bundle }) =>
        heldBy(id, { workspaceId }, bundle),
      ),
      ...[...stateVersions.values()].flatMap(({ id, workspaceId, jsonBundle }) =>
        heldBy(id, { workspaceId }, jsonBundle),
      ),
      ...[...runs.values()].flatMap(({ id, workspaceId, ownFiles }) => [
        ...(ownFiles === null ? [] : [{ of: id, place: { workspaceId }, key: ownFiles.key, known: null }]),
        ...artifactNames.flatMap((name) => heldBy(id, { workspaceId }, runArtifacts.get(artifactKey(id, name)))),
      ]),
      ...[...policySetVersions.values()].flatMap(({ id, organizationId, bundle }) =>
        heldBy(id, { organizationId }, bundle),
      ),
    ];
  }
}

const isLiving = (tables: MemoryTables, place: Held['place']): boolean =>
  ('workspaceId' in place ? tables.workspace(place.workspaceId) : tables.organization(place.organizationId)) !==
  undefined;
