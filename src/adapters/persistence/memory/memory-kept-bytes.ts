import type {
  CounterDrift,
  KeptBy,
  KeptBytes,
  OrganizationBytes,
} from '../../../application/ports/repositories/kept-bytes.js';
import { artifactNames, type OrganizationId } from '../../../domain/index.js';
import { policyCodeKey } from './memory-policies.js';
import { artifactKey } from './memory-run-artifacts.js';
import { byText, type CurrentTables, present } from './memory-tables.js';

/** Adds up what there is: no counter can differ. */
export class MemoryKeptBytes implements KeptBytes {
  constructor(private readonly tables: CurrentTables) {}

  async of(place: KeptBy): Promise<number> {
    const { workspaces } = this.tables();
    return this.sum(
      'organizationId' in place ? place.organizationId : workspaces.get(place.workspaceId)?.organizationId,
    );
  }

  async largest(limit: number): Promise<readonly OrganizationBytes[]> {
    const tables = this.tables();
    const living = present([...tables.organizations.keys()].map((id) => tables.organization(id)));
    return living
      .map(({ id, name }) => ({ id, name, bytes: this.sum(id) }))
      .filter(({ bytes }) => bytes > 0)
      .sort((a, b) => b.bytes - a.bytes || byText<OrganizationBytes>(({ name }) => name)(a, b))
      .slice(0, limit);
  }

  async drifts(): Promise<readonly CounterDrift[]> {
    return [];
  }

  async recount(): Promise<void> {}

  private sum(id: OrganizationId | undefined): number {
    const { workspaces, configurationVersions, runs, runArtifacts, stateVersions, policySetVersions, policyCodes } =
      this.tables();
    const isIts = ({ workspaceId }: { readonly workspaceId: string }) =>
      workspaces.get(workspaceId)?.organizationId === id;
    const ownRuns = [...runs.values()].filter(isIts);
    const stored = [
      ...[...configurationVersions.values(), ...stateVersions.values()].filter(isIts).map(({ bundle }) => bundle),
      ...[...stateVersions.values()].filter(isIts).map(({ jsonBundle }) => jsonBundle),
      ...[...policySetVersions.values()]
        .filter(({ organizationId }) => organizationId === id)
        .map(({ bundle }) => bundle),
      ...ownRuns.map(({ ownFiles }) => ownFiles),
      ...ownRuns.flatMap((run) => artifactNames.map((name) => runArtifacts.get(artifactKey(run.id, name)))),
    ];
    const codes = [...policyCodes].filter(([key]) => key.startsWith(policyCodeKey(id ?? '', '')));
    return (
      stored.reduce((sum, bundle) => sum + (bundle?.bytes ?? 0), 0) +
      codes.reduce((sum, [, code]) => sum + Buffer.byteLength(code), 0)
    );
  }
}
