import {
  type Actor,
  DomainError,
  identityOf,
  type RunId,
  type StateVersion,
  type Workspace,
  type WorkspaceId,
} from '../../../domain/index.js';
import { checkSuccessionUnlessForced, draftState } from '../../../domain/supporting/state-versions/state-version.js';
import { inSlices, longestSlice } from '../../files/in-slices.js';
import type { Uploads } from '../../files/uploads.js';
import type { BundleInspector } from '../../ports/outside/bundle-inspector.js';
import type { CapabilityUrls } from '../../ports/outside/capability-urls.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { ShownStateVersion } from './show-state-version.js';
import { readingUrls, writingUrls } from './state-urls.js';
import {
  dropAnnounced,
  keepState,
  lockedWritableWorkspace,
  type StateWriting,
  withMd5,
  writableWorkspace,
} from './state-writing.js';

export interface NewStateVersion {
  readonly workspaceId: WorkspaceId;
  readonly serial: number;
  /** Lower-case hexadecimal. */
  readonly md5: string;
  /** Undefined for that of the current state. */
  readonly lineage: string | undefined;
  /** Whether it may follow any state. */
  readonly force: boolean;
  readonly runId: RunId | undefined;
  /** Undefined to send it to a URL. */
  readonly state: Uint8Array | undefined;
  /** The same state in its JSON form. */
  readonly jsonState: Uint8Array | undefined;
}

interface Made {
  readonly version: StateVersion;
  /** Whether this call made it. */
  readonly isNew: boolean;
}

/**
 * POST /workspaces/:id/state-versions. With the bytes it becomes the current state at once; without them it stays pending
 * until they come to the URL that is answered, and replaces what the workspace's clients announced before.
 */
export class CreateStateVersion {
  constructor(
    private readonly unitOfWork: UnitOfWork<StateWriting | 'stateOutputs'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly urls: CapabilityUrls,
    private readonly inspector: BundleInspector,
    private readonly uploads: Uploads,
  ) {}

  /** The workspace. Throws what `execute` throws for the caller: to be asked before a long body is read. */
  admit(actor: Actor, workspaceId: WorkspaceId): Promise<Workspace> {
    return this.unitOfWork.read(async (tx) => (await writableWorkspace(tx, actor, workspaceId)).subject);
  }

  /**
   * The current state is answered again where the caller wrote it in the same words. Throws `resource/not-found`,
   * `workspace/lock-refused` unless the caller holds the workspace's lock, `runs/in-progress` while a run is applied,
   * `state-version/conflict` for a state that may not follow the current one, unless it is forced, and
   * `attribute/invalid` for another MD5, or a run of another workspace.
   */
  async execute(actor: Actor, command: NewStateVersion): Promise<ShownStateVersion> {
    await this.admit(actor, command.workspaceId);
    const { state, jsonState } = command;
    if (state === undefined) {
      const { version } = await this.unitOfWork.run((tx) => this.add(tx, actor, command));
      return { version, outputIds: [], contents: undefined, urls: writingUrls(this.urls, version, this.clock.now()) };
    }
    const id = await this.keepInline(actor, command, state);
    if (jsonState !== undefined) await this.keepJson(id, jsonState);
    return this.unitOfWork.read(async (tx) => {
      const version = (await tx.stateVersions.find(id)) as StateVersion;
      const outputIds = (await tx.stateOutputs.listed(id)).map((output) => output.id);
      const contents = (await tx.stateVersions.contentsOf([id], true)).get(id);
      return { version, outputIds, contents, urls: readingUrls(this.urls, version, this.clock.now()) };
    });
  }

  /** With the workspace's row locked. */
  private async add(tx: Transaction<StateWriting>, actor: Actor, command: NewStateVersion): Promise<Made> {
    const { workspaceId, serial, md5, force: forced } = command;
    const by = identityOf(actor);
    const [{ done }, current] = await Promise.all([
      lockedWritableWorkspace(tx, actor, workspaceId),
      tx.stateVersions.current(workspaceId),
    ]);
    const lineage = command.lineage ?? current?.lineage ?? '';
    const isCurrent = current?.serial === serial && current.lineage === lineage && current.md5 === md5;
    if (isCurrent && current.source === 'client' && current.createdBy?.id === by.id) {
      return { version: current, isNew: false };
    }
    checkSuccessionUnlessForced(current, { serial, lineage, forced });
    const version = draftState({
      ...{ workspaceId, serial, lineage, md5, forced, createdBy: by, rollbackOf: null },
      id: this.ids.next('state-version'),
      runId: await this.runNamed(tx, command),
      createdAt: this.clock.now(),
    });
    await dropAnnounced(tx, workspaceId);
    await tx.stateVersions.add(version, []);
    await tx.audit.add(done(version.id), version);
    return { version, isNew: true };
  }

  private async runNamed(tx: Transaction<'runs'>, { runId, workspaceId }: NewStateVersion): Promise<RunId | null> {
    if (runId === undefined) return null;
    const run = await tx.runs.find(runId);
    if (run?.state.workspaceId === workspaceId) return runId;
    throw new DomainError('attribute/invalid', 'Run must be one of the workspace', { relationship: 'run' });
  }

  private async keepInline(actor: Actor, command: NewStateVersion, state: Uint8Array): Promise<StateVersion['id']> {
    const measurement = withMd5(command.md5, this.inspector.measure(wholly(state)));
    let id: StateVersion['id'] | undefined;
    await this.uploads.keep(this.unitOfWork, measurement, async (tx, bundle) => {
      const { version, isNew } = await this.add(tx, actor, command);
      id = version.id;
      if (isNew) await keepState(tx, version, bundle);
      return isNew;
    });
    return id as StateVersion['id'];
  }

  private async keepJson(id: StateVersion['id'], jsonState: Uint8Array): Promise<void> {
    await this.uploads.keep(this.unitOfWork, this.inspector.measure(wholly(jsonState)), async (tx, bundle) => {
      if ((await tx.stateVersions.find(id))?.jsonBundle !== null) return false;
      await tx.stateVersions.keepJson(id, bundle);
      return true;
    });
  }
}

/** In slices, each a copy: the inspector takes the memory of chunks over. */
const wholly = (bytes: Uint8Array): AsyncIterable<Uint8Array> => inSlices(copiesOf(bytes));

async function* copiesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += longestSlice) yield Uint8Array.from(bytes.subarray(at, at + longestSlice));
}
