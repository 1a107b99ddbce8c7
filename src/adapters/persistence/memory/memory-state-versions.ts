import { sealPrefix } from '../../../application/ports/outside/secret-box.js';
import {
  fitting,
  type Page,
  type PageRequest,
  type Slice,
  type SliceSize,
} from '../../../application/ports/repositories/page.js';
import type {
  StateOutputRepository,
  StateVersionRepository,
  StateVersionSummary,
} from '../../../application/ports/repositories/state-version-repository.js';
import type {
  Actor,
  Bundle,
  Instant,
  RunId,
  StateContents,
  StateOutput,
  StateVersion,
  StateVersionId,
  StateVersionOutputId,
  WithStanding,
  WorkspaceId,
} from '../../../domain/index.js';
import { standingIn, standingOn } from './memory-standing.js';
import { byText, type CurrentTables, checkRevision, compare, type MemoryTables, pageOf } from './memory-tables.js';

const finalized = ({ status }: StateVersion): boolean => status === 'finalized';
const written = ({ status }: StateVersion): boolean => status !== 'pending';
const announcedBy = (source: StateVersion['source']) => (version: StateVersion) =>
  version.source === source && !written(version);

export const currentStateOf = ({ stateVersions }: MemoryTables, id: WorkspaceId): StateVersion | undefined =>
  [...stateVersions.values()].findLast((version) => version.workspaceId === id && finalized(version));

function seenIn<Subject>(
  tables: MemoryTables,
  actor: Actor,
  workspaceId: WorkspaceId,
  subject: Subject,
): WithStanding<Subject> | undefined {
  const workspace = tables.workspace(workspaceId);
  if (workspace === undefined) return undefined;
  const standing = standingIn(tables, actor, workspace.organizationId);
  return { subject, standing: standingOn(tables, standing, workspace.id) };
}

export class MemoryStateVersions implements StateVersionRepository {
  constructor(private readonly tables: CurrentTables) {}

  async find(id: StateVersionId): Promise<StateVersion | undefined> {
    return this.living().find((version) => version.id === id);
  }

  async findFor(actor: Actor, id: StateVersionId): Promise<WithStanding<StateVersion> | undefined> {
    const version = await this.find(id);
    const shown = version && (written(version) || version.source === 'client');
    return shown ? seenIn(this.tables(), actor, version.workspaceId, version) : undefined;
  }

  async current(workspaceId: WorkspaceId): Promise<StateVersion | undefined> {
    return this.newestFirst(workspaceId)[0];
  }

  async pending(runId: RunId): Promise<StateVersion | undefined> {
    return this.living()
      .filter(announcedBy('agent'))
      .find((version) => version.runId === runId);
  }

  async pendingOfClient(workspaceId: WorkspaceId): Promise<StateVersion | undefined> {
    return this.living()
      .filter(announcedBy('client'))
      .find((version) => version.workspaceId === workspaceId);
  }

  async add(version: StateVersion, outputs: readonly StateOutput[]): Promise<void> {
    const tables = this.tables();
    const { source, runId, workspaceId } = version;
    const before = source === 'agent' && runId !== null ? this.pending(runId) : this.pendingOfClient(workspaceId);
    if ((await before) !== undefined) throw new Error(`${runId ?? workspaceId} has a pending state`);
    tables.stateVersions.set(version.id, version);
    for (const output of outputs) tables.stateOutputs.set(output.id, output);
  }

  async finalize({ id }: StateVersion, bundle: Bundle): Promise<void> {
    const { stateVersions } = this.tables();
    const stored = stateVersions.get(id);
    if (stored === undefined || written(stored)) checkRevision(undefined, { id, revision: 0 });
    else {
      // Behind all others: they lie in the order in which they were finalized.
      stateVersions.delete(id);
      stateVersions.set(id, { ...stored, status: 'finalized', bundle, size: bundle.bytes });
    }
  }

  async dropPending(runId: RunId): Promise<void> {
    const version = await this.pending(runId);
    if (version !== undefined) removeStateVersion(this.tables(), version.id);
  }

  async dropPendingOfClient(workspaceId: WorkspaceId): Promise<void> {
    const version = await this.pendingOfClient(workspaceId);
    if (version !== undefined) removeStateVersion(this.tables(), version.id);
  }

  async keepJson(id: StateVersionId, jsonBundle: Bundle): Promise<void> {
    const { stateVersions } = this.tables();
    const stored = stateVersions.get(id);
    if (stored === undefined) checkRevision(undefined, { id, revision: 0 });
    else stateVersions.set(id, { ...stored, jsonBundle });
  }

  async addOutputs(id: StateVersionId, outputs: readonly StateOutput[]): Promise<void> {
    this.takeOutputs(id, outputs, false);
  }

  async keepOutputs(id: StateVersionId, outputs: readonly StateOutput[]): Promise<void> {
    this.takeOutputs(id, outputs, true);
  }

  private takeOutputs(id: StateVersionId, outputs: readonly StateOutput[], outputsRead: boolean): void {
    const { stateVersions, stateOutputs } = this.tables();
    const stored = stateVersions.get(id);
    if (stored === undefined || stored.outputsRead) checkRevision(undefined, { id, revision: 0 });
    else stateVersions.set(id, { ...stored, outputsRead });
    const known = [...stateOutputs.values()].filter(({ stateVersionId }) => stateVersionId === id);
    const names = new Set(known.map(({ name }) => name));
    for (const output of outputs) if (!names.has(output.name)) stateOutputs.set(output.id, output);
  }

  async markUnread(id: StateVersionId, unreadBecause: string | null): Promise<void> {
    const { stateVersions } = this.tables();
    const stored = stateVersions.get(id);
    if (stored !== undefined) stateVersions.set(id, { ...stored, unreadBecause });
  }

  async keepContents(id: StateVersionId, contents: StateContents): Promise<void> {
    const { stateVersions, stateContents } = this.tables();
    if (stateVersions.has(id) && !stateContents.has(id)) stateContents.set(id, contents);
  }

  async contentsOf(
    ids: readonly StateVersionId[],
    whole: boolean,
  ): Promise<ReadonlyMap<StateVersionId, StateContents>> {
    const known = [...this.tables().stateContents].filter(([id]) => ids.includes(id));
    return new Map(known.map(([id, contents]) => [id, whole ? contents : { ...contents, resources: [] }]));
  }

  async outdated(workspaceId: WorkspaceId, before: Instant, limit: number): Promise<readonly StateVersion[]> {
    const [, ...others] = this.newestFirst(workspaceId);
    const outdated = others.filter((version) => finalized(version) && version.createdAt < before);
    return outdated.sort(byText(({ createdAt }) => createdAt)).slice(0, limit);
  }

  async deleteData(id: StateVersionId): Promise<void> {
    const { stateVersions, stateOutputs, stateContents } = this.tables();
    const stored = stateVersions.get(id);
    if (stored === undefined || !finalized(stored)) return;
    for (const output of stateOutputs.values()) if (output.stateVersionId === id) stateOutputs.delete(output.id);
    stateContents.delete(id);
    const gone = { bundle: null, jsonBundle: null, outputsRead: true, unreadBecause: null } as const;
    stateVersions.set(id, { ...stored, ...gone, status: 'backing_data_permanently_deleted' });
  }

  async among(ids: readonly StateVersionId[]): Promise<readonly StateVersionSummary[]> {
    const contents = await this.contentsOf(ids, false);
    const versions = this.living().filter((version) => ids.includes(version.id) && finalized(version));
    return versions.map((version) => ({ version, contents: contents.get(version.id) }));
  }

  async page(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<StateVersion>> {
    return pageOf(this.newestFirst(workspaceId), page);
  }

  private newestFirst(workspaceId: WorkspaceId): readonly StateVersion[] {
    const versions = this.living().filter((version) => version.workspaceId === workspaceId && written(version));
    return versions.reverse();
  }

  private living(): StateVersion[] {
    const tables = this.tables();
    return [...tables.stateVersions.values()].filter(({ workspaceId }) => tables.workspace(workspaceId) !== undefined);
  }
}

export function removeStateVersion(tables: MemoryTables, id: StateVersionId): void {
  for (const output of tables.stateOutputs.values()) {
    if (output.stateVersionId === id) tables.stateOutputs.delete(output.id);
  }
  tables.stateContents.delete(id);
  tables.stateVersions.delete(id);
}

export class MemoryStateOutputs implements StateOutputRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: StateVersionOutputId): Promise<WithStanding<StateOutput> | undefined> {
    const tables = this.tables();
    const output = tables.stateOutputs.get(id);
    const version = output && tables.stateVersions.get(output.stateVersionId);
    if (output === undefined || version === undefined || !finalized(version)) return undefined;
    return version.outputsRead ? seenIn(tables, actor, version.workspaceId, output) : undefined;
  }

  async listed(stateVersionId: StateVersionId): Promise<readonly Pick<StateOutput, 'id' | 'name'>[]> {
    return this.of(stateVersionId).map(({ id, name }) => ({ id, name }));
  }

  async slice(id: StateVersionId, after: string | undefined, most: SliceSize): Promise<Slice<StateOutput>> {
    const rest = this.of(id).filter(({ name }) => after === undefined || name > after);
    const sized = rest.map((output) => ({ output, size: output.value.length + output.type.length }));
    const items = fitting(sized, most).map(({ output }) => output);
    const last = items.length < rest.length ? items.at(-1) : undefined;
    return { items, last: last && { name: last.name, tie: id } };
  }

  async sealedOtherwise(
    fingerprint: string,
    after: StateVersionOutputId,
    limit: number,
  ): Promise<readonly Pick<StateOutput, 'id' | 'value'>[]> {
    return [...this.tables().stateOutputs.values()]
      .filter(({ id, sensitive, value }) => id > after && sensitive && !value.startsWith(sealPrefix(fingerprint)))
      .sort((a, b) => compare(a.id, b.id))
      .slice(0, limit)
      .map(({ id, value }) => ({ id, value }));
  }

  async reseal(id: StateVersionOutputId, sealed: string): Promise<void> {
    const { stateOutputs } = this.tables();
    const output = stateOutputs.get(id);
    if (output !== undefined) stateOutputs.set(id, { ...output, value: sealed });
  }

  private of(id: StateVersionId): readonly StateOutput[] {
    const tables = this.tables();
    const version = tables.stateVersions.get(id);
    if (version === undefined || !finalized(version) || !version.outputsRead) return [];
    if (tables.workspace(version.workspaceId) === undefined) return [];
    const outputs = [...tables.stateOutputs.values()].filter(({ stateVersionId }) => stateVersionId === id);
    return outputs.sort(byText(({ name }) => name));
  }
}
