import type {
  Actor,
  Agent,
  Instant,
  OrganizationId,
  OutcomeStatus,
  PolicyOutcome,
  PolicySetId,
  PolicyTrial,
  PolicyTrialId,
  RecordedOutcome,
  RunId,
  TokenOwner,
  TrialLease,
  TrialPart,
  TrialPlan,
  TrialProgress,
  TrialResult,
  TrialVerdict,
  WithStanding,
  WorkspaceVisibility,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

/** A plan that is kept, and what the compared set said of it. */
export interface KeptPlan {
  readonly kept: boolean;
  readonly before: RecordedOutcome | null;
}

/** The number of plans with these verdicts. */
export interface TrialCount {
  /** Null where no outcome was recorded. */
  readonly before: OutcomeStatus | null;
  /** Null for plans that wait. */
  readonly now: TrialVerdict | null;
  readonly plans: number;
}

/** A plan of a trial with the recorded outcomes of the compared set. */
export interface ListedTrialPlan extends TrialPlan {
  readonly recorded: readonly PolicyOutcome[];
}

/**
 * Policy trials with their plans. Those of a deleted organization are missing, as are plans of deleted workspaces and those
 * that are no longer kept.
 */
export interface PolicyTrialRepository {
  /** The standing is the caller's on the organization. */
  findFor(actor: Actor, id: PolicyTrialId): Promise<WithStanding<PolicyTrial> | undefined>;
  /** Locks the trial until the transaction ends: its parts are reported at the same time. */
  findLocked(id: PolicyTrialId): Promise<PolicyTrial | undefined>;
  /** Newest first. */
  page(organizationId: OrganizationId, page: PageRequest): Promise<Page<PolicyTrial>>;
  /**
   * Who asked for the trials that have not ended, in no particular order. Other transactions that ask wait until this one
   * ends, so that they count what it adds.
   */
  askersOfOpen(organizationId: OrganizationId): Promise<readonly TokenOwner[]>;
  /** The trials that are overdue, and those that were created before `before`: at most `limit` of each. */
  ended(now: Instant, before: Instant, limit: number): Promise<Record<'overdue' | 'old', readonly PolicyTrialId[]>>;
  /** By run: whether its redacted plan is kept, and the recorded outcome of the set, if one is given. */
  plansOf(runs: readonly RunId[], policySetId: PolicySetId | null): Promise<ReadonlyMap<RunId, KeptPlan>>;
  /** Also adds a part for each workspace of the plans. */
  add(trial: PolicyTrial, code: Uint8Array, plans: readonly TrialPlan[]): Promise<void>;
  /** Discards the code, and ends all leases, once the trial has ended. Throws `shared/stale-revision`. */
  save(trial: PolicyTrial): Promise<void>;
  remove(id: PolicyTrialId): Promise<void>;
  /** Undefined once the trial has ended. */
  code(id: PolicyTrialId): Promise<Uint8Array | undefined>;
  /** Only plans of workspaces within `visibility`. */
  counts(id: PolicyTrialId, visibility: WorkspaceVisibility): Promise<readonly TrialCount[]>;
  /** The same plans, newest first. */
  results(id: PolicyTrialId, visibility: WorkspaceVisibility, page: PageRequest): Promise<Page<ListedTrialPlan>>;
  /**
   * A part of an open trial that no agent evaluates, in a workspace that the agent's pool serves, as defined by `serves`:
   * of the oldest trial. Undefined if there is none.
   */
  nextPart(agent: Pick<Agent, 'poolId' | 'organizationId'>, now: Instant): Promise<TrialPart | undefined>;
  /** The part with this lease token's digest. One indexed statement. */
  partByLease(digest: string): Promise<TrialPart | undefined>;
  saveLease(part: Pick<TrialPart, 'trialId' | 'workspaceId'>, lease: TrialLease | null): Promise<void>;
  /** Newest first. */
  waitingPlans(part: Pick<TrialPart, 'trialId' | 'workspaceId'>): Promise<readonly TrialPlan[]>;
  /** The plan of a run, with or without a result; undefined if the part has none. */
  findPlan(part: Pick<TrialPart, 'trialId' | 'workspaceId'>, runId: RunId): Promise<TrialPlan | undefined>;
  /** Whether the plan waited for its result. */
  keepResult(plan: Pick<TrialPlan, 'trialId' | 'runId'>, result: TrialResult): Promise<boolean>;
  progress(id: PolicyTrialId): Promise<TrialProgress>;
}
