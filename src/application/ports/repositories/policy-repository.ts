import type {
  Actor,
  ApplyingPolicySet,
  LocatedEvaluation,
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
  RunId,
  Seen,
  TaskStage,
  TaskStageId,
  WorkspaceId,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

export interface PolicySetRepository {
  /** The standing is the caller's on the organization. */
  findFor(actor: Actor, id: PolicySetId): Promise<Seen<PolicySet> | undefined>;
  /** Throws `attribute/taken` when a set of the organization has the name. */
  add(policySet: PolicySet): Promise<void>;
  /** Keeps settings, workspaces and policies. Throws `shared/stale-revision`, or `attribute/taken` when the name is another's. */
  save(policySet: PolicySet): Promise<void>;
  remove(id: PolicySetId): Promise<void>;
  /** By name. */
  page(organizationId: OrganizationId, page: PageRequest): Promise<Page<PolicySet>>;
  /** Those a run of the workspace is held to: the global ones of its organization and those attached to it, by name. */
  applyingTo(workspaceId: WorkspaceId): Promise<readonly ApplyingPolicySet[]>;
}

export interface PolicyQuery {
  readonly organizationId: OrganizationId;
  readonly kind: PolicyKind | undefined;
  /** A part of the name, in any case. */
  readonly search: string | undefined;
}

/**
 * Policies that are resources of their own, with their code. Code is kept by what it says and never changed or taken
 * away while its organization lives: a run that waits is judged by the code there was when it was created, and to upload
 * the same again keeps nothing more.
 */
export interface PolicyRepository {
  /** The standing is the caller's on the organization. */
  findFor(actor: Actor, id: PolicyId): Promise<Seen<ManagedPolicy> | undefined>;
  /** Those of these that are policies of the organization, by name. */
  allOf(organizationId: OrganizationId, ids: readonly PolicyId[]): Promise<readonly ManagedPolicy[]>;
  /** Throws `attribute/taken` when a policy of the organization has the name. */
  add(policy: ManagedPolicy): Promise<void>;
  /** Keeps what may change, and which code it has. Throws `shared/stale-revision`. */
  save(policy: ManagedPolicy): Promise<void>;
  /** Takes it out of its sets, too. */
  remove(id: PolicyId): Promise<void>;
  /** By name. */
  page(query: PolicyQuery, page: PageRequest): Promise<Page<ManagedPolicy>>;
  /** Answers the code's SHA-256, in hexadecimal digits, by which it is found from now on. */
  keepCode(organizationId: OrganizationId, code: string): Promise<string>;
  findCode(organizationId: OrganizationId, sha256: string): Promise<string | undefined>;
}

/** Task stages with their evaluations, and what was reported. What hangs on a deleted workspace is missing. */
export interface TaskStageRepository {
  /** With the caller's standing on the run's workspace. */
  findFor(actor: Actor, id: TaskStageId): Promise<Seen<TaskStage> | undefined>;
  findEvaluationFor(actor: Actor, id: PolicyEvaluationId): Promise<Seen<LocatedEvaluation> | undefined>;
  findOutcomeFor(actor: Actor, id: PolicySetOutcomeId): Promise<Seen<PolicySetOutcome> | undefined>;
  /** The stage of a run; undefined for a run that no policy applies to. */
  ofRun(id: RunId): Promise<TaskStage | undefined>;
  /** The same of several runs, but no more than the ids: stages carry whole policy sets. */
  idsOfRuns(ids: readonly RunId[]): Promise<ReadonlyMap<RunId, TaskStageId>>;
  add(stage: TaskStage): Promise<void>;
  /** Keeps the stage and its evaluations. Throws `shared/stale-revision` when the stored revision moved on. */
  save(stage: TaskStage): Promise<void>;
  addOutcomes(outcomes: readonly PolicySetOutcome[]): Promise<void>;
  /** Of every evaluation of the stage. */
  dropOutcomes(stage: TaskStage): Promise<void>;
  /** In the order of the sets. No filter: everything. Several: whatever matches one of them. */
  outcomes(
    id: PolicyEvaluationId,
    filters: readonly OutcomeFilter[],
    page: PageRequest,
  ): Promise<Page<PolicySetOutcome>>;
}
