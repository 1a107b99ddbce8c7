import type {
  Actor,
  Bundle,
  RunId,
  Seen,
  StateOutput,
  StateVersion,
  StateVersionId,
  StateVersionOutputId,
  WorkspaceId,
} from '../../../domain/index.js';
import type { Page, PageRequest, Slice, SliceSize } from './page.js';

/** What hangs on a deleted workspace or organization is missing. */
export interface StateVersionRepository {
  /** Finalized or not. */
  find(id: StateVersionId): Promise<StateVersion | undefined>;
  /** A finalized one, or a client's that is pending, with the caller's standing on its workspace. */
  findFor(actor: Actor, id: StateVersionId): Promise<Seen<StateVersion> | undefined>;
  /** The one that was finalized last. One indexed statement. */
  current(workspaceId: WorkspaceId): Promise<StateVersion | undefined>;
  /** The one the run's agent announced, and has not sent yet. */
  pending(runId: RunId): Promise<StateVersion | undefined>;
  /** The one a client announced, and has not sent yet. */
  pendingOfClient(workspaceId: WorkspaceId): Promise<StateVersion | undefined>;
  /**
   * A pending one with its outputs. A run may have no more than one of its agent, and a workspace no more than one of a
   * client: in the workspace's turn.
   */
  add(version: StateVersion, outputs: readonly StateOutput[]): Promise<void>;
  /** Makes a pending one finalized. In the workspace's turn: who reads the workspace's list sees them in this order. */
  finalize(version: StateVersion, bundle: Bundle): Promise<void>;
  /** Forgets what the run's agent announced and did not send. */
  dropPending(runId: RunId): Promise<void>;
  /** Forgets what a client announced and did not send. Its JSON form, if it has one, is then referred to by no row. */
  dropPendingOfClient(workspaceId: WorkspaceId): Promise<void>;
  /** Throws `shared/stale-revision` when it is gone. */
  keepJson(id: StateVersionId, bundle: Bundle): Promise<void>;
  /** The outputs of one of which they were not known. Throws `shared/stale-revision` otherwise. */
  keepOutputs(id: StateVersionId, outputs: readonly StateOutput[]): Promise<void>;
  /** Finalized ones, newest first. Costs the same however many there are and however deep the page lies. */
  page(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<StateVersion>>;
}

/** The outputs of finalized state versions, in the order of their names. */
export interface StateOutputRepository {
  /** With the caller's standing on the workspace. */
  findFor(actor: Actor, id: StateVersionOutputId): Promise<Seen<StateOutput> | undefined>;
  idsOf(id: StateVersionId): Promise<readonly StateVersionOutputId[]>;
  page(id: StateVersionId, page: PageRequest): Promise<Page<StateOutput>>;
  /** From beyond the name `after` on, or from the first. The size of one is that of its value. */
  slice(id: StateVersionId, after: string | undefined, most: SliceSize): Promise<Slice<StateOutput>>;
  /** Sensitive ones that are sealed with any other key than this, in the order of their ids, from beyond `after` on. */
  sealedOtherwise(
    fingerprint: string,
    after: StateVersionOutputId,
    limit: number,
  ): Promise<readonly Pick<StateOutput, 'id' | 'value'>[]>;
  /** Puts another sealed text in the place of one. */
  reseal(id: StateVersionOutputId, sealed: string): Promise<void>;
}
