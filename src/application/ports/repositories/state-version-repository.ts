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
import type { Page, PageRequest, Slice, SliceSize } from './page.js';

export interface StateVersionSummary {
  readonly version: StateVersion;
  /** Undefined until it is read. */
  readonly contents: StateContents | undefined;
}

/** State versions of a deleted workspace or organization are missing. */
export interface StateVersionRepository {
  /** Finalized or not. */
  find(id: StateVersionId): Promise<StateVersion | undefined>;
  /** A finalized one, or a client's that is pending, with the caller's standing on its workspace. */
  findFor(actor: Actor, id: StateVersionId): Promise<WithStanding<StateVersion> | undefined>;
  /** The state that was finalized last. One indexed statement. */
  current(workspaceId: WorkspaceId): Promise<StateVersion | undefined>;
  /** The state that the run's agent announced and has not uploaded yet. */
  pending(runId: RunId): Promise<StateVersion | undefined>;
  /** The state that a client announced and has not uploaded yet. */
  pendingOfClient(workspaceId: WorkspaceId): Promise<StateVersion | undefined>;
  /**
   * Adds a pending state with its outputs. A run may have at most one of its agent, a workspace at most one of a client:
   * must be called with the workspace's row locked.
   */
  add(version: StateVersion, outputs: readonly StateOutput[]): Promise<void>;
  /**
   * Finalizes a pending state. Must be called with the workspace's row locked, so that readers of the workspace's list
   * see states in this order.
   */
  finalize(version: StateVersion, bundle: Bundle): Promise<void>;
  /** Deletes the state that the run's agent announced and did not upload. */
  dropPending(runId: RunId): Promise<void>;
  /** Deletes the state that a client announced and did not upload. No row refers to its JSON form any more. */
  dropPendingOfClient(workspaceId: WorkspaceId): Promise<void>;
  /** Throws `shared/stale-revision` if the state is gone. */
  keepJson(id: StateVersionId, bundle: Bundle): Promise<void>;
  /**
   * Adds some outputs of a state whose outputs were not read yet, and are hidden until then. One whose name the state has
   * already stays as it is: an attempt that ended early may have added it. Throws `shared/stale-revision` once they are
   * read, or the state is gone.
   */
  addOutputs(id: StateVersionId, outputs: readonly StateOutput[]): Promise<void>;
  /** The same with the last outputs, after which they count as read. */
  keepOutputs(id: StateVersionId, outputs: readonly StateOutput[]): Promise<void>;
  /** Records why its bytes are not read any more, or with null that they were read. */
  markUnread(id: StateVersionId, reason: string | null): Promise<void>;
  /** Keeps what was read of a state; once is enough, and repeating it changes nothing. */
  keepContents(id: StateVersionId, contents: StateContents): Promise<void>;
  /** By state; one that was not read has no entry. Without `whole`, resources are left out. */
  contentsOf(ids: readonly StateVersionId[], whole: boolean): Promise<ReadonlyMap<StateVersionId, StateContents>>;
  /** Finalized states created before `before`, except the current one, oldest first. */
  outdated(workspaceId: WorkspaceId, before: Instant, limit: number): Promise<readonly StateVersion[]>;
  /** Deletes the outputs and resources of a finalized state. No row refers to its bytes any more. */
  deleteData(id: StateVersionId): Promise<void>;
  /** The finalized states of these ids with what was read of each, without resources. In no particular order; one statement. */
  among(ids: readonly StateVersionId[]): Promise<readonly StateVersionSummary[]>;
  /** Finalized states and those without data, newest first. The cost does not depend on their number or the page. */
  page(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<StateVersion>>;
}

/** The outputs of finalized state versions, ordered by name. None before they are all read. */
export interface StateOutputRepository {
  /** With the caller's standing on the workspace. */
  findFor(actor: Actor, id: StateVersionOutputId): Promise<WithStanding<StateOutput> | undefined>;
  /** All of a state, of which there are at most a thousand. */
  listed(id: StateVersionId): Promise<readonly Pick<StateOutput, 'id' | 'name'>[]>;
  /** The outputs after the name `after`, or the first ones. An output's size is that of its value. */
  slice(id: StateVersionId, after: string | undefined, max: SliceSize): Promise<Slice<StateOutput>>;
  /** Sensitive outputs sealed with any other key, ordered by id, after `after`. */
  sealedWithOtherKeys(
    fingerprint: string,
    after: StateVersionOutputId,
    limit: number,
  ): Promise<readonly Pick<StateOutput, 'id' | 'value'>[]>;
  /** Replaces the sealed text of an output. */
  reseal(id: StateVersionOutputId, sealed: string): Promise<void>;
}
