import type {
  Actor,
  AgentPoolId,
  BundleKey,
  ConfigurationVersionId,
  Instant,
  OrganizationId,
  Phase,
  Run,
  RunId,
  RunState,
  RunStatus,
  Seen,
  TeamId,
  UserId,
  VersionFactsGathered,
  WorkspaceId,
} from '../../domain/index.js';
import type { Page, PageRequest } from './page.js';

/** Where a run in progress forbids a deletion. */
export type RunScope =
  | { readonly organizationId: OrganizationId }
  | { readonly workspaceId: WorkspaceId }
  | { readonly createdBy: UserId | TeamId };

/** What hangs on a deleted workspace or organization is missing. */
export interface RunRepository {
  find(id: RunId): Promise<Run | undefined>;
  /** With the caller's standing on its workspace. */
  findFor(actor: Actor, id: RunId): Promise<Seen<Run> | undefined>;
  /** The run with this lease token's digest. One indexed statement. */
  findByLease(digest: string): Promise<Run | undefined>;
  add(run: Run): Promise<void>;
  /** Throws `shared/stale-revision` when the stored revision moved on since `run` was read. */
  save(run: Run): Promise<void>;
  /** What the configuration version's guards look at. */
  aboutVersion(id: ConfigurationVersionId): Promise<VersionFactsGathered>;
  anyInProgress(scope: RunScope): Promise<boolean>;
  /** Whether any run fetched the bytes for itself. */
  refersTo(key: BundleKey): Promise<boolean>;
  /** The next sequence number of the workspace's runs. Takes the workspace's turn. */
  takeSequence(workspaceId: WorkspaceId): Promise<number>;
  /** Whether a run other than this one holds the workspace. */
  anotherHolds(workspaceId: WorkspaceId, except: RunId): Promise<boolean>;
  /** Waiting runs that are not plan-only, the oldest; undefined for none. */
  nextWaiting(workspaceId: WorkspaceId): Promise<Run | undefined>;
  /** The oldest run that an agent of the pool may claim; undefined for none. */
  nextClaimable(poolId: AgentPoolId, organizationId: OrganizationId): Promise<RunId | undefined>;
  /** Runs whose lease ran out, the longest ago first. */
  withExpiredLease(now: Instant, limit: number): Promise<readonly RunId[]>;
}

/** A run, and the key of the bytes it fetched for itself. */
export interface StoredFiles {
  readonly id: RunId;
  readonly key: BundleKey;
}

export interface RunQueries {
  /**
   * Runs that wait for their workspace's turn, and those that wait for an agent, by status, at most so many of each;
   * statuses without a run have no entry.
   */
  countWaiting(most: number): Promise<ReadonlyMap<RunStatus, number>>;
  /** Runs of all workspaces that fetched bytes for themselves, in the order of their ids, from beyond `after` on. */
  storedFiles(limit: number, after?: RunId): Promise<readonly StoredFiles[]>;
  /** Newest first. Costs the same however many there are and however deep the page lies. */
  page(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<RunState>>;
  /** The first run of each version, by version id; versions without a run have no entry. */
  firstOfVersions(ids: readonly ConfigurationVersionId[]): Promise<ReadonlyMap<ConfigurationVersionId, RunState>>;
}

/** What the agents wrote while they executed a run, in the order in which they wrote it. */
export interface RunLogs {
  /** How many bytes there are. */
  size(id: RunId, phase: Phase): Promise<number>;
  /** `offset` must be the present size: writers are fenced by their lease. */
  append(id: RunId, phase: Phase, offset: number, bytes: Uint8Array): Promise<void>;
  /** From `offset`, at most `limit` bytes; empty past the end. */
  read(id: RunId, phase: Phase, offset: number, limit: number): Promise<Uint8Array>;
  drop(id: RunId, phase: Phase): Promise<void>;
}
