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
  Standing,
  StateVersionId,
  VariableId,
  VersionFactsGathered,
  WithStanding,
  WorkspaceId,
  WorkspaceVisibility,
} from '../../../domain/index.js';
import type { OrganizationRunFilter, RunFilter } from './filters.js';
import type { Page, PageRequest, UncountedPage } from './page.js';

/** The scope in which a run that is applied forbids a deletion. */
export type RunScope = { readonly organizationId: OrganizationId } | { readonly workspaceId: WorkspaceId };

/** Runs of a deleted workspace or organization are missing. */
export interface RunRepository {
  find(id: RunId): Promise<Run | undefined>;
  /** With the caller's standing on its workspace. */
  findFor(actor: Actor, id: RunId): Promise<WithStanding<Run> | undefined>;
  /** The run with this lease token's digest. One indexed statement. */
  findByLease(digest: string): Promise<Run | undefined>;
  add(run: Run): Promise<void>;
  /** Throws `shared/stale-revision` if the stored revision has changed since `run` was read. */
  save(run: Run): Promise<void>;
  /** The facts for the configuration version's guards. */
  aboutVersion(id: ConfigurationVersionId): Promise<VersionFactsGathered>;
  anyApplying(scope: RunScope): Promise<boolean>;
  /**
   * The next sequence number of the workspace's runs, and whether run tasks are attached to the workspace, in one
   * statement. Locks the workspace's row.
   */
  takeSequence(workspaceId: WorkspaceId): Promise<{ readonly sequence: number; readonly hasTasks: boolean }>;
  /** Whether another run holds the workspace. */
  anotherHolds(workspaceId: WorkspaceId, except: RunId): Promise<boolean>;
  /**
   * The runs that this one waits for, at most `limit`: those that wait longer, oldest first, and then the one that holds the
   * workspace.
   */
  before(run: Run, limit: number): Promise<readonly Run[]>;
  /** The oldest waiting run that is not plan-only; undefined if there is none. */
  nextWaiting(workspaceId: WorkspaceId): Promise<Run | undefined>;
  /**
   * The oldest claimable run of a workspace that the agent's pool serves, as defined by `serves`; undefined if there is
   * none.
   */
  nextClaimable(agent: Pick<Agent, 'poolId' | 'organizationId'>): Promise<RunId | undefined>;
  /** Runs with an expired lease, the longest expired first. */
  withExpiredLease(now: Instant, limit: number): Promise<readonly RunId[]>;
}

/** A run in its organization's queue: executing runs come first, then the others in order of creation. */
export interface QueuedRun {
  readonly run: RunState;
  /** Its position in the queue, from 1. */
  readonly position: number;
}

/** The runs and states of a workspace, as far as its document shows them. */
export interface WorkspaceActivity {
  /** The run that holds the workspace, for which others wait. */
  readonly workingRunId: RunId | null;
  /** The same run, or else the one that waits the longest, or else the one that held it last. Never one that only plans. */
  readonly currentRunId: RunId | null;
  /** The run created last. */
  readonly latestRunId: RunId | null;
  readonly runsCount: number;
  /** The current state. */
  readonly stateVersionId: StateVersionId | null;
  /** The number of resources in the current state; null without one, and until it is read. */
  readonly resourceCount: number | null;
  /** Its own variables, in no particular order. */
  readonly variableIds: readonly VariableId[];
}

/** The numbers of waiting and executing runs of an organization. */
export interface RunCapacity {
  readonly pending: number;
  readonly running: number;
}

export interface RunQueries {
  /**
   * The number of runs that wait for their workspace or for an agent, by status, each up to `max`; a status without
   * runs has no entry.
   */
  countWaiting(max: number): Promise<ReadonlyMap<RunStatus, number>>;
  /** The existing ones of these ids, in no particular order. */
  among(ids: readonly RunId[]): Promise<readonly RunState[]>;
  /** Newest first. Without a filter, the cost does not depend on the number of runs or the page. */
  page(workspaceId: WorkspaceId, page: PageRequest, filter?: RunFilter): Promise<Page<RunState>>;
  /**
   * Newest first. `standing` is the caller's on the organization; each item gets it with the grants on its workspace.
   */
  pageOfOrganization(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
    filter?: OrganizationRunFilter,
  ): Promise<UncountedPage<WithStanding<RunState>>>;
  /**
   * In queue order. `standing` is the caller's on the organization; each item gets it with the grants on its workspace.
   * Positions include runs the caller cannot see.
   */
  queue(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
  ): Promise<Page<WithStanding<QueuedRun>>>;
  /** The queue positions of runs of the workspace's organization; a run outside the queue has no entry. */
  positionsOf(workspaceId: WorkspaceId, ids: readonly RunId[]): Promise<ReadonlyMap<RunId, number>>;
  capacityOf(organizationId: OrganizationId): Promise<RunCapacity>;
  /** By workspace; an unknown id has no entry. One indexed statement. */
  activityOf(ids: readonly WorkspaceId[]): Promise<ReadonlyMap<WorkspaceId, WorkspaceActivity>>;
  /** The first run of each version, by version id; a version without runs has no entry. */
  firstOfVersions(ids: readonly ConfigurationVersionId[]): Promise<ReadonlyMap<ConfigurationVersionId, RunState>>;
}

/** The logs that agents write while they execute a run. */
export interface RunLogs {
  /** The size in bytes. */
  size(id: RunId, phase: Phase): Promise<number>;
  /**
   * `offset` must be the current size: writers are fenced by their lease. Followers of the workspace are notified after
   * the commit.
   */
  append(run: Pick<RunState, 'id' | 'workspaceId'>, phase: Phase, offset: number, bytes: Uint8Array): Promise<void>;
  /** From `offset`, at most `limit` bytes; empty past the end. */
  read(id: RunId, phase: Phase, offset: number, limit: number): Promise<Uint8Array>;
  drop(id: RunId, phase: Phase): Promise<void>;
}
