import type {
  Actor,
  ApplyingPolicySet,
  Instant,
  LocatedEvaluation,
  LocatedResult,
  ManagedPolicy,
  OrganizationId,
  OutcomeFilter,
  PolicyEvaluationId,
  PolicyId,
  PolicyKind,
  PolicySet,
  PolicySetId,
  PolicySetOutcome,
  PolicySetOutcomeId,
  PolicySetParameter,
  PolicySetParameterId,
  PolicySetVersion,
  PolicySetVersionId,
  RunId,
  RunTaskId,
  TaskResultId,
  TaskResultOutcome,
  TaskStage,
  TaskStageId,
  TaskStageSummary,
  WebhookId,
  WithStanding,
  WorkspaceId,
  WorkspaceTaskId,
} from '../../../domain/index.js';
import type { Order, PolicySetFilter, policySorts } from './filters.js';
import type { Page, PageRequest } from './page.js';

export interface PolicySetRepository {
  /** The standing is the caller's on the organization. */
  findFor(actor: Actor, id: PolicySetId): Promise<WithStanding<PolicySet> | undefined>;
  find(id: PolicySetId): Promise<PolicySet | undefined>;
  findByWebhook(id: WebhookId): Promise<PolicySet | undefined>;
  /** Sets whose webhook key is sealed with another key, by id, after `after`. */
  sealedWithOtherKeys(fingerprint: string, after: PolicySetId, limit: number): Promise<readonly PolicySet[]>;
  /** Throws `attribute/taken` if another set of the organization has the name. */
  add(policySet: PolicySet): Promise<void>;
  /**
   * Saves settings, workspaces, projects, tag selectors and policies. Throws `shared/stale-revision`, or `attribute/taken` if another set has
   * the name.
   */
  save(policySet: PolicySet): Promise<void>;
  remove(id: PolicySetId): Promise<void>;
  /** Ordered by name. */
  page(organizationId: OrganizationId, page: PageRequest, filter?: PolicySetFilter): Promise<Page<PolicySet>>;
  /**
   * The sets that apply to a run of the workspace, by name: the global ones of its organization, those attached to it or
   * its project, and those that select one of its effective tag bindings, without those that exclude one of all these.
   */
  applyingTo(workspaceId: WorkspaceId): Promise<readonly ApplyingPolicySet[]>;
  /** Those of the workspaces to whose runs the set applies, as `applyingTo` says. */
  appliedAmong(id: PolicySetId, workspaceIds: readonly WorkspaceId[]): Promise<readonly WorkspaceId[]>;
}

/** The versions of policy sets. Those of a deleted organization are missing. */
export interface PolicySetVersionRepository {
  /** Missing once its set is deleted. The standing is the caller's on the organization. */
  findFor(actor: Actor, id: PolicySetVersionId): Promise<WithStanding<PolicySetVersion> | undefined>;
  find(id: PolicySetVersionId): Promise<PolicySetVersion | undefined>;
  /** Those of the given versions that exist, by id. */
  allOf(ids: readonly PolicySetVersionId[]): Promise<readonly PolicySetVersion[]>;
  add(version: PolicySetVersion): Promise<void>;
  /** Throws `shared/stale-revision`. */
  save(version: PolicySetVersion): Promise<void>;
  /** Marks the archive of the set's former current version as superseded. */
  supersede(id: PolicySetVersionId, now: Instant): Promise<void>;
  /** For the removal of a set: its versions belong to no set from now on, and their archives are superseded. */
  release(policySetId: PolicySetId, now: Instant): Promise<void>;
  /** Versions with an archive superseded before `before` that no run in progress is evaluated with. */
  unneeded(before: Instant, limit: number): Promise<readonly PolicySetVersion[]>;
}

/** The parameters of policy sets. Those of a deleted organization are missing. */
export interface PolicySetParameterRepository {
  /** Missing unless it belongs to the set. The standing is the caller's on the organization. */
  findFor(
    actor: Actor,
    policySetId: PolicySetId,
    id: PolicySetParameterId,
  ): Promise<WithStanding<PolicySetParameter> | undefined>;
  /** By key. */
  ofSets(ids: readonly PolicySetId[]): Promise<readonly PolicySetParameter[]>;
  /** Throws `attribute/taken` if another parameter of the set has the key. */
  add(parameter: PolicySetParameter): Promise<void>;
  /** Throws `shared/stale-revision`, or `attribute/taken` if another parameter of the set has the key. */
  save(parameter: PolicySetParameter): Promise<void>;
  /** Whether it existed. */
  remove(id: PolicySetParameterId): Promise<boolean>;
  /** Parameters sealed with another key, by id, after `after`. */
  sealedWithOtherKeys(
    fingerprint: string,
    after: PolicySetParameterId,
    limit: number,
  ): Promise<readonly PolicySetParameter[]>;
}

export interface PolicyQuery {
  readonly organizationId: OrganizationId;
  readonly kind: PolicyKind | undefined;
  /** A part of the name, case-insensitive. */
  readonly search: string | undefined;
  /** By name, if undefined. */
  readonly sort?: Order<(typeof policySorts)[number]> | undefined;
}

/**
 * Managed policies with their code. Code is stored by its digest, and never changed or removed while its organization
 * exists: a waiting run is evaluated with the code from the time of its creation, and uploading the same code again
 * uses no space.
 */
export interface PolicyRepository {
  /** The standing is the caller's on the organization. */
  findFor(actor: Actor, id: PolicyId): Promise<WithStanding<ManagedPolicy> | undefined>;
  /** Those of the given policies that belong to the organization, by name. */
  allOf(organizationId: OrganizationId, ids: readonly PolicyId[]): Promise<readonly ManagedPolicy[]>;
  /** Throws `attribute/taken` if another policy of the organization has the name. */
  add(policy: ManagedPolicy): Promise<void>;
  /** Saves the mutable settings and the digest of its code. Throws `shared/stale-revision`. */
  save(policy: ManagedPolicy): Promise<void>;
  /** Also removes it from its sets. */
  remove(id: PolicyId): Promise<void>;
  page(query: PolicyQuery, page: PageRequest): Promise<Page<ManagedPolicy>>;
  /** Returns the SHA-256 of the code, in hexadecimal, by which it can be read. */
  keepCode(organizationId: OrganizationId, code: string): Promise<string>;
  findCode(organizationId: OrganizationId, sha256: string): Promise<string | undefined>;
}

/** Task stages with their evaluations and reported outcomes. Those of a deleted workspace are missing. */
export interface TaskStageRepository {
  /** With the caller's standing on the run's workspace. */
  findFor(actor: Actor, id: TaskStageId): Promise<WithStanding<TaskStage> | undefined>;
  findEvaluationFor(actor: Actor, id: PolicyEvaluationId): Promise<WithStanding<LocatedEvaluation> | undefined>;
  findOutcomeFor(actor: Actor, id: PolicySetOutcomeId): Promise<WithStanding<PolicySetOutcome> | undefined>;
  /** The stages of a run in their order; none if neither policies nor run tasks apply to it. */
  ofRun(id: RunId): Promise<readonly TaskStage[]>;
  /** Like `ofRun` for several runs, but only the ids: stages contain whole policy sets. A run without stages is missing. */
  idsOfRuns(ids: readonly RunId[]): Promise<ReadonlyMap<RunId, readonly TaskStageId[]>>;
  /** The stages of several runs, in no particular order. One statement. */
  ofRuns(ids: readonly RunId[]): Promise<readonly TaskStageSummary[]>;
  add(stage: TaskStage): Promise<void>;
  /** Saves the stage, its evaluations and its results. Throws `shared/stale-revision` if the stored revision has changed. */
  save(stage: TaskStage): Promise<void>;
  addOutcomes(outcomes: readonly PolicySetOutcome[]): Promise<void>;
  /** Deletes the outcomes of every evaluation and every result of the stage. */
  dropOutcomes(stage: TaskStage): Promise<void>;
  /** In the order of the sets. Without filters all outcomes; otherwise those that at least one selects. */
  outcomes(
    id: PolicyEvaluationId,
    filters: readonly OutcomeFilter[],
    page: PageRequest,
  ): Promise<Page<PolicySetOutcome>>;
}

/** The results of run tasks, which are saved with their stages. Those of a deleted workspace are missing. */
export interface TaskResultRepository {
  /** With the caller's standing on the run's workspace. */
  findFor(actor: Actor, id: TaskResultId): Promise<WithStanding<LocatedResult> | undefined>;
  find(id: TaskResultId): Promise<LocatedResult | undefined>;
  /** The result whose callback token has this digest. One indexed statement. */
  byToken(digest: string): Promise<LocatedResult | undefined>;
  /** Results whose deadline has passed, the longest passed first. */
  overdue(now: Instant, limit: number): Promise<readonly LocatedResult[]>;
  /** Ends the callback tokens of a task that is removed, and the waiting for its results. */
  endTask(
    of: { readonly taskId: RunTaskId } | { readonly workspaceTaskId: WorkspaceTaskId },
    now: Instant,
  ): Promise<void>;
  /** Replaces the outcomes of a result. */
  keepOutcomes(id: TaskResultId, outcomes: readonly TaskResultOutcome[]): Promise<void>;
  /** In the order in which the task reported them. */
  outcomes(id: TaskResultId, page: PageRequest): Promise<Page<TaskResultOutcome>>;
}
