import type {
  Actor,
  Agent,
  ConfigurationVersionId,
  Instant,
  OrganizationId,
  Phase,
  Run,
  RunId,
  RunState,
  RunStatus,
  Seen,
  Standing,
  TeamId,
  UserId,
  VersionFactsGathered,
  WorkspaceId,
  WorkspaceVisibility,
} from '../../../domain/index.js';
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
  /** The next sequence number of the workspace's runs. Takes the workspace's turn. */
  takeSequence(workspaceId: WorkspaceId): Promise<number>;
  /** Whether a run other than this one holds the workspace. */
  anotherHolds(workspaceId: WorkspaceId, except: RunId): Promise<boolean>;
  /** Waiting runs that are not plan-only, the oldest; undefined for none. */
  nextWaiting(workspaceId: WorkspaceId): Promise<Run | undefined>;
  /** The oldest run of a workspace that the agent's pool serves, as `serves` says; undefined for none. */
  nextClaimable(agent: Pick<Agent, 'poolId' | 'organizationId'>): Promise<RunId | undefined>;
  /** Runs whose lease ran out, the longest ago first. */
  withExpiredLease(now: Instant, limit: number): Promise<readonly RunId[]>;
}

/** One in the queue of its organization, in which what is executed comes first, and then the others in the order of creation. */
export interface QueuedRun {
  readonly run: RunState;
  /** Its place among all of them, from 1. */
  readonly position: number;
}

/** How many runs of an organization wait, and how many are executed. */
export interface RunCapacity {
  readonly pending: number;
  readonly running: number;
}

export interface RunQueries {
  /**
   * Runs that wait for their workspace's turn, and those that wait for an agent, by status, at most so many of each;
   * statuses without a run have no entry.
   */
  countWaiting(most: number): Promise<ReadonlyMap<RunStatus, number>>;
  /** Newest first. Costs the same however many there are and however deep the page lies. */
  page(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<RunState>>;
  /**
   * In its order. `standing` is the caller's on the organization; each item gets it with the grants on its workspace. Positions
   * count what the caller may not see too.
   */
  queue(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
  ): Promise<Page<Seen<QueuedRun>>>;
  /** Those of one workspace's runs as the queue tells them; runs that are not in it have no entry. */
  positionsOf(workspaceId: WorkspaceId, ids: readonly RunId[]): Promise<ReadonlyMap<RunId, number>>;
  capacityOf(organizationId: OrganizationId): Promise<RunCapacity>;
  /** Of each workspace the run that holds it, or else the one that waits longest; workspaces without have no entry. */
  currentOf(workspaceIds: readonly WorkspaceId[]): Promise<ReadonlyMap<WorkspaceId, RunId>>;
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
