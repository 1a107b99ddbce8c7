import {
  DomainError,
  notFound,
  type RequestTrace,
  type StateVersion,
  type StateVersionId,
  type TokenOwner,
  type Workspace,
} from '../../../domain/index.js';
import { doneFromOutside } from '../../../domain/supporting/audit/audit-event.js';
import { checkSuccessionUnlessForced } from '../../../domain/supporting/state-versions/state-version.js';
import { checkLockedBy } from '../../../domain/supporting/workspaces/workspace.js';
import { seenByCreator, stillMay } from '../../authorization/seen-by-creator.js';
import { storeBytes } from '../../files/bundle-attempt.js';
import type { BundleInspector } from '../../ports/outside/bundle-inspector.js';
import type { BundleStore } from '../../ports/outside/bundle-store.js';
import type { CapabilityUrls } from '../../ports/outside/capability-urls.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { keepState, type StateWriting, unlessHidden, withMd5, writableWorkspace } from './state-writing.js';

type Action = 'state-versions/upload' | 'state-versions/upload-json';

export interface StateUploadFrom {
  readonly request?: RequestTrace | undefined;
  /** Called once the object id has proved good. */
  readonly opened?: (id: StateVersionId, action: Action) => void;
}

interface Announced {
  readonly version: StateVersion;
  readonly creator: TokenOwner;
  readonly workspace: Workspace;
  /** The workspace and standing that `writableWorkspace` asks for. */
  readonly seen: NonNullable<Awaited<ReturnType<Transaction<'workspaces'>['workspaces']['findFor']>>>;
}

/**
 * PUT /v1/state/:objectId, for a state and for its JSON form. The bytes are stored while they arrive, with no transaction
 * open; one short transaction then keeps them. The right and the lock of the client that announced the state are asked
 * before the bytes and after them.
 */
export class UploadStateVersion {
  constructor(
    private readonly unitOfWork: UnitOfWork<StateWriting>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly urls: CapabilityUrls,
    private readonly inspector: BundleInspector,
    private readonly store: BundleStore,
  ) {}

  /**
   * The same bytes once more are taken as before. Throws `resource/not-found` for a bad object id, for a version that was
   * replaced since, and once the client has lost the right; `workspace/lock-refused`, `runs/in-progress` and
   * `state-version/conflict` as the announcement does, the last also for other bytes than it has; `attribute/invalid` for
   * another MD5 than was announced, and `bundle/interrupted`. Nothing is kept of what is refused.
   */
  async execute(
    objectId: string,
    body: AsyncIterable<Uint8Array>,
    { request, opened }: StateUploadFrom = {},
  ): Promise<void> {
    const now = this.clock.now();
    const stateId = this.urls.open('state-upload', objectId, now);
    const id = stateId ?? this.urls.open('json-state-upload', objectId, now);
    if (id === undefined) throw notFound();
    opened?.(id, stateId === undefined ? 'state-versions/upload-json' : 'state-versions/upload');
    const begun = await this.unitOfWork.read((tx) => this.find(tx, id));
    try {
      if (stateId === undefined) await this.receiveJson(begun, body, request);
      else if (begun.version.status === 'finalized') await this.acceptOnlyTheSame(begun.version, body);
      else await this.receiveState(begun, body, request);
    } catch (error) {
      await unlessHidden(error, () => this.unitOfWork.read((tx) => this.find(tx, id)));
    }
  }

  private async receiveState(
    begun: Announced,
    body: AsyncIterable<Uint8Array>,
    request: RequestTrace | undefined,
  ): Promise<void> {
    const { id, md5 } = begun.version;
    await this.unitOfWork.read((tx) => this.check(tx, begun));
    const key = this.ids.next('bundle');
    const measurement = this.inspector.measure(body);
    await storeBytes(this.attempt, key, withMd5(md5, measurement), async (tx) => {
      const found = await this.findLocked(tx, begun);
      if (found.version.status === 'finalized') return false;
      await this.check(tx, found);
      const { bytes, sha256 } = measurement.facts();
      await keepState(tx, found.version, { key, bytes, sha256 });
      await tx.audit.add(doneFromOutside('upload-url', 'state-versions/upload', id, request), found.version);
      return true;
    });
  }

  /** Throws why the state may not become the current one. */
  private async check(tx: Transaction<'runs' | 'stateVersions'>, { version, creator, seen }: Announced): Promise<void> {
    await writableWorkspace(tx, seen, creator);
    checkSuccessionUnlessForced(await tx.stateVersions.current(version.workspaceId), version);
  }

  private async receiveJson(
    begun: Announced,
    body: AsyncIterable<Uint8Array>,
    request: RequestTrace | undefined,
  ): Promise<void> {
    const { id } = begun.version;
    checkLockedBy(begun.workspace, begun.creator);
    const key = this.ids.next('bundle');
    const measurement = this.inspector.measure(body);
    await storeBytes(this.attempt, key, measurement.bytes, async (tx) => {
      const { version, workspace, creator } = await this.findLocked(tx, begun);
      const { bytes, sha256 } = measurement.facts();
      if (version.jsonBundle?.sha256 === sha256) return false;
      if (version.jsonBundle !== null) throw uploadedAlready();
      checkLockedBy(workspace, creator);
      await tx.stateVersions.keepJson(id, { key, bytes, sha256 });
      await tx.audit.add(doneFromOutside('upload-url', 'state-versions/upload-json', id, request), version);
      return true;
    });
  }

  private async acceptOnlyTheSame({ md5 }: StateVersion, body: AsyncIterable<Uint8Array>): Promise<void> {
    const { bytes, facts } = this.inspector.measure(body);
    for await (const _ of bytes);
    if (facts().md5 !== md5) throw uploadedAlready();
  }

  private async findLocked(
    tx: Transaction<'workspaces' | 'stateVersions'>,
    { version }: Announced,
  ): Promise<Announced> {
    await tx.workspaces.lockRow(version.workspaceId);
    return this.find(tx, version.id);
  }

  /** The state as it is now, while its client may still write states. The URL ends with that right. */
  private async find(tx: Transaction<'workspaces' | 'stateVersions'>, id: StateVersionId): Promise<Announced> {
    const version = await tx.stateVersions.find(id);
    const creator = version?.source === 'client' ? version.createdBy : null;
    if (version === undefined || creator === null) throw notFound();
    const seen = await seenByCreator(creator, (actor) => tx.workspaces.findFor(actor, version.workspaceId));
    if (!stillMay(seen, 'state-versions/create')) throw notFound();
    return { version, creator, workspace: seen.subject, seen };
  }

  private get attempt() {
    return { unitOfWork: this.unitOfWork, clock: this.clock, store: this.store };
  }
}

const uploadedAlready = (): DomainError =>
  new DomainError('state-version/conflict', 'other bytes were uploaded before: create another state version');
