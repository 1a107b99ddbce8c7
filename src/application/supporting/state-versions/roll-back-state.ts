import {
  type Actor,
  DomainError,
  identityOf,
  type StateVersion,
  type StateVersionId,
  type WorkspaceId,
} from '../../../domain/index.js';
import { draftState } from '../../../domain/supporting/state-versions/state-version.js';
import { openBundle } from '../../files/open-bundle.js';
import type { Uploads } from '../../files/uploads.js';
import type { BundleInspector } from '../../ports/outside/bundle-inspector.js';
import type { BundleStore } from '../../ports/outside/bundle-store.js';
import type { CapabilityUrls } from '../../ports/outside/capability-urls.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { ShownStateVersion } from './show-state-version.js';
import { readingUrls } from './state-urls.js';
import {
  dropAnnounced,
  keepState,
  lockedWritableWorkspace,
  type StateWriting,
  withMd5,
  writableWorkspace,
} from './state-writing.js';

export interface Rollback {
  readonly workspaceId: WorkspaceId;
  /** The state to return to. */
  readonly stateVersionId: StateVersionId;
}

/**
 * PATCH /workspaces/:id/state-versions: an earlier state becomes the current one once more, as a new version with the same
 * bytes. So its serial is the one in the bytes, from which the next writer counts on.
 */
export class RollBackState {
  constructor(
    private readonly unitOfWork: UnitOfWork<StateWriting>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly urls: CapabilityUrls,
    private readonly inspector: BundleInspector,
    private readonly store: BundleStore,
    private readonly uploads: Uploads,
  ) {}

  /**
   * Throws `resource/not-found`, `workspace/lock-refused` and `runs/in-progress` as writing a state does, and
   * `attribute/invalid` unless the workspace has the state.
   */
  async execute(actor: Actor, { workspaceId, stateVersionId }: Rollback): Promise<ShownStateVersion> {
    const by = identityOf(actor);
    const earlier = await this.unitOfWork.read(async (tx) => {
      await writableWorkspace(tx, actor, workspaceId);
      return this.find(tx, workspaceId, stateVersionId);
    });
    const { serial, lineage, md5, runId } = earlier;
    const version = draftState({
      ...{ workspaceId, serial, lineage, md5, runId, createdBy: by, forced: true, rollbackOf: earlier.id },
      id: this.ids.next('state-version'),
      createdAt: this.clock.now(),
    });
    const measurement = withMd5(md5, this.inspector.measure(await openBundle(this.store, earlier.bundle)));
    await this.uploads.keep(this.unitOfWork, measurement, async (tx, bundle) => {
      const { done } = await lockedWritableWorkspace(tx, actor, workspaceId);
      await dropAnnounced(tx, workspaceId);
      await tx.stateVersions.add(version, []);
      await keepState(tx, version, bundle);
      await tx.audit.add(done(version.id), version);
      return true;
    });
    const kept = (await this.unitOfWork.read((tx) => tx.stateVersions.find(version.id))) ?? version;
    return { version: kept, outputIds: [], contents: undefined, urls: readingUrls(this.urls, kept, this.clock.now()) };
  }

  private async find(
    tx: Transaction<'stateVersions'>,
    workspaceId: WorkspaceId,
    id: StateVersionId,
  ): Promise<StateVersion> {
    const found = await tx.stateVersions.find(id);
    if (found?.workspaceId === workspaceId && found.status === 'finalized') return found;
    const sentence = 'Rollback state version must be a state of the workspace';
    throw new DomainError('attribute/invalid', sentence, { relationship: 'rollbackStateVersion' });
  }
}
