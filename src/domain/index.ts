/** The published rules and data of the domain, by name. It imports no package and no Node module. */

export type { Actor, InSession, RequestTrace, SignedInWith } from './authorization/actor.js';
export { auditorStanding, identityOf, isOpenTo, isUser, standingOnSite } from './authorization/actor.js';
export type { Claim } from './authorization/claims.js';
export { claims, effectivePermissions, isOwner, organizationAccessOf } from './authorization/claims.js';
export type {
  AccessPart,
  EffectiveRight,
  GivenClaim,
  WorkspaceAction,
} from './authorization/effective-access.js';
export {
  effectiveAccess,
  effectiveRight,
  organizationActions,
  projectActions,
  teamsNeededFor,
  visibleRights,
  workspaceActions,
} from './authorization/effective-access.js';
export type { OrganizationAccess, OrganizationPermission } from './authorization/organization-permissions.js';
export { organizationPermissions, permissionsWithoutEffect } from './authorization/organization-permissions.js';
export type { Action, Requirement, WithStanding } from './authorization/policy.js';
export { actions, authorize, authorized, authorizedView, may, policy } from './authorization/policy.js';
export type { PoolInQuestion, Standing, TeamInQuestion, TeamStanding } from './authorization/standing.js';
export type {
  ProjectAccessVisibility,
  ProjectVisibility,
  TeamTokenVisibility,
  TeamVisibility,
  WorkspaceVisibility,
} from './authorization/visibility.js';
export {
  effectiveAccessVisibility,
  projectAccessVisibility,
  projectVisibility,
  teamAccessVisibility,
  teamTokenVisibility,
  teamVisibility,
  workspaceVisibility,
} from './authorization/visibility.js';
export type {
  ChosenSettings,
  ConfigurationVersionChange,
  ConfigurationVersionSettings,
  ConfigurationVersionState,
  Failure,
  Fired,
  OrderedEffect,
  VersionFactsGathered,
} from './configuration-versions/configuration-version.js';
export { ConfigurationVersion } from './configuration-versions/configuration-version.js';
export type { Facts, Origin, Stamp, Status, Trigger } from './configuration-versions/lifecycle.js';
export { guards, lifecycle, statuses, statusTraits } from './configuration-versions/lifecycle.js';
export type {
  DraftOutcome,
  OutcomeFilter,
  OutcomeStatus,
  OutcomeSums,
  PolicyOutcome,
  PolicySetOutcome,
  ReportedPolicySet,
  ResultCount,
  SetVerdict,
  Verdict,
} from './policy-outcomes/policy-set-outcome.js';
export {
  blocks,
  countsAs,
  noResults,
  outcomeStatuses,
  readReport,
  resultCountOf,
  sumOfCounts,
  verdictOf,
} from './policy-outcomes/policy-set-outcome.js';
export type {
  PolicyTrial,
  RecordedOutcome,
  TrialLease,
  TrialOutcome,
  TrialParameter,
  TrialPart,
  TrialPlan,
  TrialProgress,
  TrialReport,
  TrialResult,
  TrialStatus,
  TrialVerdict,
} from './policy-outcomes/policy-trial.js';
export { trialLimits, trialStatuses, trialVerdicts } from './policy-outcomes/policy-trial.js';
export type {
  EvaluationStatus,
  EvaluationTrigger,
  LocatedEvaluation,
  LocatedResult,
  PolicyEvaluation,
  TaskStage,
  TaskStageStatus,
  TaskStageSummary,
  TaskStageTrigger,
} from './policy-outcomes/task-stage.js';
export {
  canOverride,
  concludeEvaluation,
  evaluationMoves,
  evaluationStatuses,
  isUnderWay,
  moveAll,
  openTaskStage,
  overrideStage,
  taskStageMoves,
  taskStageStatuses,
  withResult,
} from './policy-outcomes/task-stage.js';
export type { Bundle } from './shared/bundle.js';
export { maxCalledUrl } from './shared/called-url.js';
export type { DataRetention } from './shared/data-retention.js';
export { retentionOf } from './shared/data-retention.js';
export type { AtFault, DomainErrorCode, ErrorDetails } from './shared/domain-error.js';
export { alreadyTaken, DomainError, isDomainError, isRefusal, notFound } from './shared/domain-error.js';
export type {
  AgentPoolScope,
  Executed,
  Execution,
  ExecutionChange,
  ExecutionDefaults,
  ExecutionMode,
  ExecutionSettings,
  ServingPool,
} from './shared/execution.js';
export { executionModes, executionOf, serves } from './shared/execution.js';
export type {
  AgentPoolId,
  BundleKey,
  ConfigurationVersionId,
  DataRetentionId,
  Id,
  IdentityId,
  Instant,
  MembershipId,
  NotificationConfigurationId,
  OrganizationId,
  PolicyEvaluationId,
  PolicyId,
  PolicySetId,
  PolicySetOutcomeId,
  PolicySetParameterId,
  PolicySetVersionId,
  PolicyTrialId,
  ProjectId,
  RunCommentId,
  RunId,
  RunTaskId,
  RunTriggerId,
  SessionId,
  StateVersionId,
  StateVersionOutputId,
  TagBindingId,
  TagId,
  TaskResultId,
  TaskStageId,
  TeamId,
  TeamProjectId,
  TeamWorkspaceId,
  TokenId,
  UserId,
  VariableId,
  VariableSetId,
  WebhookId,
  WorkspaceId,
  WorkspaceTaskId,
} from './shared/id.js';
export { later } from './shared/id.js';
export { idPrefixes } from './shared/id-prefixes.js';
export type { IngressAttributes } from './shared/ingress-attributes.js';
export type { LifecycleGuard, LifecycleRow } from './shared/lifecycle-engine.js';
export type { LinkedRepository, RepositorySettings } from './shared/linked-repository.js';
export {
  type OrganizationTokenKind,
  type SoleTokenOwner,
  type TokenOwner,
  tokensPerOwner,
} from './shared/token-owner.js';
export type { Agent, AgentPool, AgentToken } from './supporting/agents/agent-pool.js';
export type {
  AuditAction,
  AuditActor,
  AuditDetail,
  AuditEvent,
  AuditNames,
  NewAuditEvent,
} from './supporting/audit/audit-event.js';
export { actionsOutsidePolicy, auditEventId, auditIdsFrom } from './supporting/audit/audit-event.js';
export type {
  DeliveryResponse,
  DestinationType,
  NotificationConfiguration,
  NotificationSettings,
  NotificationSubject,
  NotificationTrigger,
  NotifiedEvent,
  RunNotificationTrigger,
} from './supporting/notifications/notification-configuration.js';
export {
  checkNotification,
  checkNotificationCount,
  checkToken,
  checkTriggers,
  destinationTypes,
  notificationActionOf,
  notificationLimits,
  notificationWaits,
  runNotificationTriggers,
  triggerReached,
  triggersOf,
  withDelivery,
} from './supporting/notifications/notification-configuration.js';
export type { Member, Membership, Organization } from './supporting/organizations/organization.js';
export { memberOf, membershipStatus, membershipStatuses } from './supporting/organizations/organization.js';
export type { OrganizationSettings } from './supporting/organizations/organization-settings.js';
export { authPolicies } from './supporting/organizations/organization-settings.js';
export { type Block, BlockFault, type BlockValue } from './supporting/policies/block.js';
export type {
  EnforcementLevel,
  ManagedPolicy,
  Policy,
  PolicyChange,
  PolicyKind,
  PolicyLevel,
  PolicySettings,
} from './supporting/policies/policy.js';
export { enforcementLevels, policyKinds, policyLevels } from './supporting/policies/policy.js';
export type { DefinedPolicies, PolicyFiles } from './supporting/policies/policy-files.js';
export type {
  AppliedArchive,
  AppliedPolicy,
  AppliedPolicySet,
  ApplyingPolicySet,
  PolicySet,
  PolicySetScope,
  PolicySetSettings,
  PolicySetVersions,
  TagSelector,
} from './supporting/policies/policy-set.js';
export type { PolicySetParameter, PolicySetParameterSettings } from './supporting/policies/policy-set-parameter.js';
export { parameterLimits, parameterTaken } from './supporting/policies/policy-set-parameter.js';
export type {
  PolicyCommit,
  PolicySetVersion,
  PolicySetVersionStatus,
} from './supporting/policies/policy-set-version.js';
export { policySetVersionStatuses } from './supporting/policies/policy-set-version.js';
export type { Project, ProjectSettings } from './supporting/projects/project.js';
export { defaultProjectId, defaultProjectName } from './supporting/projects/project.js';
export type { ApplyingTask, RunTask, RunTaskSettings, WorkspaceTask } from './supporting/run-tasks/run-task.js';
export { checkRunTask, checkStages, checkTaskCount, runTaskLimits } from './supporting/run-tasks/run-task.js';
export type {
  TaskReport,
  TaskResult,
  TaskResultOutcome,
  TaskResultStatus,
  TaskResultTrigger,
} from './supporting/run-tasks/task-result.js';
export {
  attempted,
  checkLinks,
  isOpen,
  moveResult,
  reportedResult,
  taskReportLimits,
  taskResultMoves,
  taskResultStatuses,
  taskWaits,
  withToken,
} from './supporting/run-tasks/task-result.js';
export type { TaskStageName } from './supporting/run-tasks/task-stage-name.js';
export { taskStageNames } from './supporting/run-tasks/task-stage-name.js';
export {
  checkSource,
  checkSourceCount,
  depthAfter,
  type RunTriggerType,
  runTriggerLimits,
  runTriggerTypes,
  type WorkspaceRunTrigger,
} from './supporting/run-triggers/run-trigger.js';
export {
  type DueDecision,
  decisionsDue,
  dueDecisions,
} from './supporting/runs/decision-due.js';
export type {
  Lease,
  Phase,
  PlannedChanges,
  ResourceCounts,
  RunChange,
  RunDecision,
  RunDraft,
  RunFactsGathered,
  RunFired,
  RunOperation,
  RunOptions,
  RunState,
  RunVariable,
} from './supporting/runs/run.js';
export { operationOf, phases, Run, runOperations, runStatusesDiscardable } from './supporting/runs/run.js';
export { type ArtifactName, artifactNames } from './supporting/runs/run-artifact.js';
export type { DatedComment, RunComment, RunEvent, RunEventReference } from './supporting/runs/run-event.js';
export { runEventsOf } from './supporting/runs/run-event.js';
export { type RunGuardFacts, runGuards, type StageCheck } from './supporting/runs/run-guards.js';
export { type RunEffect, type RunTrigger, runLifecycle } from './supporting/runs/run-lifecycle.js';
export { type PhaseStatus, phaseInstants, phaseStatuses, phaseStatusOf } from './supporting/runs/run-phase.js';
export type { RunStatus } from './supporting/runs/run-status.js';
export {
  completedRunStatuses,
  queuedRunStatuses,
  runStatuses,
  runStatusesHoldingWorkspace,
  runStatusesInProgress,
  runStatusesUnderLease,
  stages,
  waitingRunStatuses,
} from './supporting/runs/run-status.js';
export {
  checkGiven,
  checkGroupPatterns,
  everyGroup,
  type GroupPattern,
  isGiven,
  maxGroupPatterns,
} from './supporting/sign-in/groups.js';
export {
  type Identity,
  longestSubject,
  type ProvenIdentity,
  provenAddress,
  refusedSignIn,
  usernamesFor,
} from './supporting/sign-in/identity.js';
export { isReturnPath, usualReturnPath } from './supporting/sign-in/return-path.js';
export {
  checkFresh,
  checkLasting,
  checkOutlived,
  type EndedSession,
  freshMinutes,
  hasEnded,
  isFresh,
  maxSessionsWithoutIdentity,
  type Session,
  type SignInLink,
  signInCodeOf,
  signInLinkSeconds,
  startSession,
} from './supporting/sign-in/session.js';
export { type LoginCode, loginPortOf, terraformLogin } from './supporting/sign-in/terraform-login.js';
export type { StateContents, StateResource } from './supporting/state-versions/state-contents.js';
export type { ReportedOutput, StateOutput } from './supporting/state-versions/state-output.js';
export {
  type AnnouncedState,
  type StateVersion,
  stateVersionStatuses,
} from './supporting/state-versions/state-version.js';
export type { Tag } from './supporting/tags/tag.js';
export { tagNameOf } from './supporting/tags/tag.js';
export type { EffectiveTagBinding, KeyValue, TagBinding, TagBindingOwner } from './supporting/tags/tag-binding.js';
export type { AccessChange, Team, TeamSettings } from './supporting/teams/team.js';
export { ownersTeamName, teamInQuestion, visibilities } from './supporting/teams/team.js';
export { teamNameKey } from './supporting/teams/team-name.js';
export { awaitedUser, type User } from './supporting/users/user.js';
export {
  type AppliedSet,
  precedence,
  type ResolvedVariables,
  resolveVariables,
  type SourcedVariable,
  type VariableSource,
} from './supporting/variables/precedence.js';
export type {
  SetVariable,
  StoredVariable,
  Variable,
  VariableSettings,
  VariableTotals,
} from './supporting/variables/variable.js';
export { variableCategories, variableLimits, variableTaken } from './supporting/variables/variable.js';
export {
  type Attachments,
  managing,
  type VariableSet,
  type VariableSetSettings,
} from './supporting/variables/variable-set.js';
export type {
  AutoDestroy,
  AutoDestroyChange,
  InheritedDestruction,
  ProjectAutoDestroy,
} from './supporting/workspaces/auto-destroy.js';
export type {
  Lock,
  LockAction,
  Workspace,
  WorkspaceSettings,
  WorkspaceSource,
} from './supporting/workspaces/workspace.js';
export { lockActions } from './supporting/workspaces/workspace.js';
export type { AccessLevel, FixedLevel, Grant } from './team-access/access-level.js';
export { accessLevels, impliedBy, permissionsOf } from './team-access/access-level.js';
export type { EndBounds, RequestedEnd } from './team-access/ending.js';
export { fallbacks, maxAccessDays } from './team-access/ending.js';
export type { GrantedPlace, GrantedTeam, Unnamed } from './team-access/granting.js';
export type {
  PermissionsInProject,
  ProjectAccessLevel,
  ProjectGrant,
  ProjectPermissions,
} from './team-access/project-access-level.js';
export {
  impliedInProject,
  permissionsInProject,
  projectAccessLevels,
  projectScales,
} from './team-access/project-access-level.js';
export {
  type ProjectGrantChange,
  type RequestedInProject,
  type RequestedProjectGrant,
  TeamProject,
  type TeamProjectState,
} from './team-access/team-project.js';
export {
  type GrantChange,
  type RequestedGrant,
  type RequestedPermissions,
  TeamWorkspace,
  type TeamWorkspaceState,
} from './team-access/team-workspace.js';
export type { Ending, Timed } from './team-access/timed-grant.js';
export { type Scale, scaleNames, scales, type WorkspacePermissions } from './team-access/workspace-permissions.js';
export { type ApiToken, hasExpired } from './tokens/api-token.js';
export { TeamToken, type TeamTokenValues } from './tokens/team-token.js';
