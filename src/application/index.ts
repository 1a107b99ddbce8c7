/** The published interface for programs with their own adapters: use cases, their commands and results, and ports. */

export { ApplyDataRetention, type DataRetained, type RetentionPlace } from './background/apply-data-retention.js';
export { type Begun, fetchedFiles } from './background/begun.js';
export { CreateScheduledDestroys } from './background/create-scheduled-destroys.js';
export { EffectPerformers } from './background/effect-performers.js';
export { EndPolicyTrials } from './background/end-policy-trials.js';
export { ListFailingEffects } from './background/list-failing-effects.js';
export { ListRemovals } from './background/list-removals.js';
export type { Batch, Performed } from './background/perform-effects.js';
export { effectLeaseSeconds, PerformEffects } from './background/perform-effects.js';
export { PolicyFetches } from './background/policy-fetches.js';
export { RetryEffect } from './background/retry-effect.js';
export { ArchiveConfigurationVersion } from './configuration-versions/archive-configuration-version.js';
export { ArchiveOldVersions, type OldVersionsArchived } from './configuration-versions/archive-old-versions.js';
export { type BackingDataChange, ChangeBackingData } from './configuration-versions/change-backing-data.js';
export type { NewConfigurationVersion } from './configuration-versions/create-configuration-version.js';
export { CreateConfigurationVersion } from './configuration-versions/create-configuration-version.js';
export type { ListedConfigurationVersions } from './configuration-versions/list-configuration-versions.js';
export { ListConfigurationVersions } from './configuration-versions/list-configuration-versions.js';
export { type BundleReference, LocateBundle } from './configuration-versions/locate-bundle.js';
export type { Include, ShownConfigurationVersion } from './configuration-versions/show-configuration-version.js';
export { ShowConfigurationVersion } from './configuration-versions/show-configuration-version.js';
export { ShowIngressAttributes } from './configuration-versions/show-ingress-attributes.js';
export { UploadConfigurationBundle } from './configuration-versions/upload-configuration-bundle.js';
export { attemptSeconds } from './files/attempt-age.js';
export { ByteQuota, type WithinRoom } from './files/byte-quota.js';
export { type OpenBundle, ReadBundle } from './files/read-bundle.js';
export { ReadSharedStates, type SharedState } from './files/read-shared-states.js';
export { SweepBundles } from './files/sweep-bundles.js';
export { Uploads } from './files/uploads.js';
export { ListRunEvents, type ShownRunEvents, ShowRunComment, ShowRunEvent } from './included/list-run-events.js';
export { type Related, type RelatedKind, related, type ViewOf } from './included/related.js';
export { ShowOrganizationsOfUsers } from './included/show-organizations-of-users.js';
export {
  type PolicySetInclude,
  ShowRelatedToPolicySets,
} from './included/show-related-to-policy-sets.js';
export { type ProjectInclude, ShowRelatedToProjects } from './included/show-related-to-projects.js';
export { type RunTaskInclude, ShowRelatedToRunTasks } from './included/show-related-to-run-tasks.js';
export { type RunTriggerInclude, ShowRelatedToRunTriggers } from './included/show-related-to-run-triggers.js';
export { type RunInclude, ShowRelatedToRuns } from './included/show-related-to-runs.js';
export { type RelatedToTeams, ShowRelatedToTeams, type TeamInclude } from './included/show-related-to-teams.js';
export {
  ShowRelatedToVariableSets,
  type VariableSetInclude,
} from './included/show-related-to-variable-sets.js';
export { ShowRelatedToWorkspaces, type WorkspaceInclude } from './included/show-related-to-workspaces.js';
export { ShowWorkspacesOfAgentPools } from './included/show-workspaces-of-agent-pools.js';
export {
  CountPolicyOutcomes,
  maxOutcomeDays,
  type OutcomeCountsPage,
  type PolicyOutcomesQuery,
} from './policy-outcomes/count-policy-outcomes.js';
export { CreatePolicyTrial, type NewPolicyTrial } from './policy-outcomes/create-policy-trial.js';
export { ListPolicyEvaluations } from './policy-outcomes/list-policy-evaluations.js';
export { ListPolicySetOutcomes } from './policy-outcomes/list-policy-set-outcomes.js';
export { ListTaskStages } from './policy-outcomes/list-task-stages.js';
export { OverrideTaskStage } from './policy-outcomes/override-task-stage.js';
export { ShowPolicyEvaluation } from './policy-outcomes/show-policy-evaluation.js';
export { ShowPolicySetOutcome } from './policy-outcomes/show-policy-set-outcome.js';
export {
  CancelPolicyTrial,
  ListPolicyTrialResults,
  ListPolicyTrials,
  type ShownPolicyTrial,
  ShowPolicyTrial,
} from './policy-outcomes/show-policy-trial.js';
export { type ShownTaskStage, ShowTaskStage } from './policy-outcomes/show-task-stage.js';
export type {
  BundleFacts,
  BundleInspector,
  Inspection,
  Measurement,
  PolicyInspection,
} from './ports/outside/bundle-inspector.js';
export type { BundleFound, BundleStore, ByteRange } from './ports/outside/bundle-store.js';
export { type CapabilityPurpose, type CapabilityUrls, capabilityPurposes } from './ports/outside/capability-urls.js';
export type { ChangeKind, ChangeListener, Changes } from './ports/outside/changes.js';
export type { Clock } from './ports/outside/clock.js';
export type { CommitFetcher, CommitRequest, FetchedCommit } from './ports/outside/commit-fetcher.js';
export type { IdGenerator, IdKind } from './ports/outside/id-generator.js';
export type { IdentityProvider, SignInChecks } from './ports/outside/identity-provider.js';
export type { Delivery, Notification, Notifier, RunNews } from './ports/outside/notifier.js';
export type { CallAnswer, RunTaskCall, RunTaskCaller } from './ports/outside/run-task-caller.js';
export { type SecretBox, sealPrefix, sealPrefixOf } from './ports/outside/secret-box.js';
export type { Secret, SecretGenerator } from './ports/outside/secret-generator.js';
export type { Settings } from './ports/outside/settings.js';
export type { AgentPoolRepository, AgentTokenRepository } from './ports/repositories/agent-repository.js';
export type {
  ApiTokenRepository,
  Credential,
  ExpiryRange,
  IssuedTeamToken,
  TeamTokenQuery,
  TeamTokenReference,
  TeamTokenSort,
} from './ports/repositories/api-token-repository.js';
export { teamTokenSorts } from './ports/repositories/api-token-repository.js';
export type {
  AttentionQueries,
  AttentionScope,
  LocatedRun,
  NamedRun,
  UnservedRun,
} from './ports/repositories/attention.js';
export type { AuditedThing, AuditPlace, AuditQuery, AuditSlice, AuditTrail } from './ports/repositories/audit-trail.js';
export { auditedKinds, maxLookedAt, maxNumbered } from './ports/repositories/audit-trail.js';
export type {
  CommitReport,
  ConfigurationVersionQueries,
  ConfigurationVersionRepository,
  ConfigurationVersionSummary,
  VersionPlace,
} from './ports/repositories/configuration-version-repository.js';
export type { Effect, RemovalTarget } from './ports/repositories/effect.js';
export type { Lane, Share } from './ports/repositories/effect-lanes.js';
export { laneNames, laneOf, lanes, neverEnded } from './ports/repositories/effect-lanes.js';
export type {
  Backlog,
  Claim,
  ClaimedEffect,
  EffectOutbox,
  EffectState,
  FailingEffect,
  OrganizationRemoval,
  PendingEffect,
  Removals,
} from './ports/repositories/effect-outbox.js';
export { noOrganization } from './ports/repositories/effect-outbox.js';
export type { Fills } from './ports/repositories/fills.js';
export type {
  AgentPoolFilter,
  MembershipFilter,
  Order,
  OrganizationFilter,
  OrganizationRunFilter,
  PolicySetFilter,
  ProjectFilter,
  RunFilter,
  TagFilter,
  TeamFilter,
  UserFilter,
  VariableSetFilter,
  VariableSetVisibility,
  WorkspaceFilter,
} from './ports/repositories/filters.js';
export { agentPoolSorts, policySorts, projectSorts, workspaceSorts } from './ports/repositories/filters.js';
export type { IdentityRepository } from './ports/repositories/identity-repository.js';
export type { Demand, RequestRates, SigningKeys } from './ports/repositories/instances.js';
export type { CounterDrift, KeptBy, KeptBytes, OrganizationBytes } from './ports/repositories/kept-bytes.js';
export type { NotificationConfigurationRepository } from './ports/repositories/notification-repository.js';
export type {
  MembershipRepository,
  MembershipView,
  OrganizationRepository,
} from './ports/repositories/organization-repository.js';
export {
  type Day,
  type OutcomeCount,
  type OutcomeCounts,
  type OutcomeCountsQuery,
  type OutcomeGroup,
  outcomeGroups,
} from './ports/repositories/outcome-counts.js';
export {
  fitting,
  newestSearched,
  type Page,
  type PageRequest,
  type Place,
  type Slice,
  type SliceSize,
  type UncountedPage,
} from './ports/repositories/page.js';
export type {
  PolicyQuery,
  PolicyRepository,
  PolicySetParameterRepository,
  PolicySetRepository,
  PolicySetVersionRepository,
  TaskResultRepository,
  TaskStageRepository,
} from './ports/repositories/policy-repository.js';
export type {
  KeptPlan,
  ListedTrialPlan,
  PolicyTrialRepository,
  TrialCount,
} from './ports/repositories/policy-trial-repository.js';
export type { ProjectRepository } from './ports/repositories/project-repository.js';
export type { Lockable, RowLocks } from './ports/repositories/row-locks.js';
export type { RunArtifacts } from './ports/repositories/run-artifacts.js';
export type { RunComments } from './ports/repositories/run-comments.js';
export type {
  QueuedRun,
  RunCapacity,
  RunLogs,
  RunQueries,
  RunRepository,
  RunScope,
} from './ports/repositories/run-repository.js';
export type { RunTaskRepository, WorkspaceTaskRepository } from './ports/repositories/run-task-repository.js';
export type { RunTriggerQuery, RunTriggerRepository } from './ports/repositories/run-trigger-repository.js';
export type {
  ListedSession,
  SessionCredential,
  SessionRepository,
  SessionsOf,
} from './ports/repositories/session-repository.js';
export { maxSnapshots, type Snapshots } from './ports/repositories/snapshots.js';
export type {
  StateOutputRepository,
  StateVersionRepository,
  StateVersionSummary,
} from './ports/repositories/state-version-repository.js';
export type { StoredFile, StoredFiles } from './ports/repositories/stored-files.js';
export type {
  CountedTag,
  GivenTag,
  TagBindingRepository,
  TagRepository,
} from './ports/repositories/tag-repository.js';
export type {
  GroupMembership,
  MadeBySignIn,
  MappedTeam,
  TeamGroupRepository,
} from './ports/repositories/team-group-repository.js';
export type { TeamProjectRepository, TeamProjectView } from './ports/repositories/team-project-repository.js';
export type { TeamRepository } from './ports/repositories/team-repository.js';
export type {
  AccessHolder,
  HolderView,
  TeamAccessFilter,
  TeamWorkspaceRepository,
  TeamWorkspaceView,
} from './ports/repositories/team-workspace-repository.js';
export type { Repositories, RepositoryName, Transaction, UnitOfWork } from './ports/repositories/unit-of-work.js';
export type { Reservation, UserRepository } from './ports/repositories/user-repository.js';
export type { VariableRepository } from './ports/repositories/variable-repository.js';
export type { SetVariableRepository, VariableSetRepository } from './ports/repositories/variable-set-repository.js';
export type { WorkspaceOfRun, WorkspaceRepository } from './ports/repositories/workspace-repository.js';
export { RetryingUnitOfWork } from './retrying-unit-of-work.js';
export type { AgentPoolReference } from './supporting/agent-pools/agent-pool-in-hand.js';
export type { ScopeChange } from './supporting/agent-pools/agent-pool-scope.js';
export { CreateAgentPool, CreateSiteAgentPool } from './supporting/agent-pools/create-agent-pool.js';
export { IssueAgentToken } from './supporting/agent-pools/issue-agent-token.js';
export { type AgentPoolsQuery, ListAgentPools, ListSiteAgentPools } from './supporting/agent-pools/list-agent-pools.js';
export { ListAgentTokens } from './supporting/agent-pools/list-agent-tokens.js';
export { RemoveAgentPool } from './supporting/agent-pools/remove-agent-pool.js';
export { ShowAgentPool } from './supporting/agent-pools/show-agent-pool.js';
export { type AgentPoolChange, UpdateAgentPool } from './supporting/agent-pools/update-agent-pool.js';
export { AnnounceState, type StateAnnounced, type StateReport } from './supporting/agents/announce-state.js';
export { AppendRunLog } from './supporting/agents/append-run-log.js';
export { AuthenticateAgent } from './supporting/agents/authenticate-agent.js';
export { ClaimPolicyTrial, type TrialJob } from './supporting/agents/claim-policy-trial.js';
export { ClaimRun, type Job } from './supporting/agents/claim-run.js';
export {
  EvaluatePolicyTrial,
  type RenewedTrialLease,
  type TrialHolder,
} from './supporting/agents/evaluate-policy-trial.js';
export { CheckLease, type LeaseHolder } from './supporting/agents/lease-holder.js';
export { LookForWork } from './supporting/agents/look-for-work.js';
export { ReadPlanFile } from './supporting/agents/read-plan-file.js';
export { ReadRunFiles } from './supporting/agents/read-run-files.js';
export { ReadRunPolicy } from './supporting/agents/read-run-policy.js';
export { ReadRunPolicyArchive } from './supporting/agents/read-run-policy-archive.js';
export { ReadRunState } from './supporting/agents/read-run-state.js';
export { ReclaimLostRuns } from './supporting/agents/reclaim-lost-runs.js';
export { type RenewedLease, RenewLease } from './supporting/agents/renew-lease.js';
export { type PhaseReport, ReportPhase } from './supporting/agents/report-phase.js';
export { type PolicyReport, ReportPolicyEvaluation } from './supporting/agents/report-policy-evaluation.js';
export { StoreRunArtifact } from './supporting/agents/store-run-artifact.js';
export { UploadState } from './supporting/agents/upload-state.js';
export { ForgetAuditEvents } from './supporting/audit/forget-audit-events.js';
export type { AuditFilter, AuditPart } from './supporting/audit/list-audit-events.js';
export { ListAuditEvents, ListAuditTrails, ListSiteAuditEvents } from './supporting/audit/list-audit-events.js';
export { type Refusal, Refusals } from './supporting/audit/refusals.js';
export { ChangeFeed, type Followed, type Follower, maxFollowers } from './supporting/changes/change-feed.js';
export { type Following, FollowOrganization, FollowWorkspace } from './supporting/changes/follow-changes.js';
export {
  type Linking,
  type RepositoryLink,
  RepositoryLinks,
} from './supporting/linked-repositories/repository-links.js';
export {
  CreateNotificationConfiguration,
  type NotificationDraft,
} from './supporting/notifications/create-notification-configuration.js';
export { Deliveries, type KeptDelivery, type Receiver } from './supporting/notifications/deliveries.js';
export { ListNotificationConfigurations } from './supporting/notifications/list-notification-configurations.js';
export { RemoveNotificationConfiguration } from './supporting/notifications/remove-notification-configuration.js';
export { SendNotification } from './supporting/notifications/send-notification.js';
export { ShowNotificationConfiguration } from './supporting/notifications/show-notification-configuration.js';
export {
  type NotificationChange,
  UpdateNotificationConfiguration,
} from './supporting/notifications/update-notification-configuration.js';
export { VerifyNotificationConfiguration } from './supporting/notifications/verify-notification-configuration.js';
export { AddOrganizationMembership } from './supporting/organizations/add-organization-membership.js';
export { CreateOrganization, type NewOrganization } from './supporting/organizations/create-organization.js';
export { ListOrganizationMemberships } from './supporting/organizations/list-organization-memberships.js';
export { ListOrganizations } from './supporting/organizations/list-organizations.js';
export {
  type GivenGroup,
  GiveOrganizationGroups,
  type OrganizationGroups,
  ShowOrganizationGroups,
} from './supporting/organizations/organization-groups.js';
export { RemoveOrganization } from './supporting/organizations/remove-organization.js';
export { RemoveOrganizationMembership } from './supporting/organizations/remove-organization-membership.js';
export { ShowOrganization } from './supporting/organizations/show-organization.js';
export { ShowOrganizationMembership } from './supporting/organizations/show-organization-membership.js';
export { ChangeTokenLifetimes, ListTokenLifetimes } from './supporting/organizations/token-lifetimes.js';
export type { ChangedOrganization, OrganizationChange } from './supporting/organizations/update-organization.js';
export { UpdateOrganization } from './supporting/organizations/update-organization.js';
export { AttachPolicySet } from './supporting/policies/attach-policy-set.js';
export { ChangePoliciesOfSet } from './supporting/policies/change-policies-of-set.js';
export { ChangeTagSelectors } from './supporting/policies/change-tag-selectors.js';
export { CreatePolicy } from './supporting/policies/create-policy.js';
export {
  type ChangedPolicySet,
  CreatePolicySet,
  type NewPolicySet,
  type PolicySetLists,
} from './supporting/policies/create-policy-set.js';
export { CreatePolicySetParameter } from './supporting/policies/create-policy-set-parameter.js';
export { CreatePolicySetVersion } from './supporting/policies/create-policy-set-version.js';
export { DiscardPolicyArchives } from './supporting/policies/discard-policy-archives.js';
export {
  FetchedPolicies,
  type LinkedPolicySet,
  type PoliciesToFetch,
} from './supporting/policies/fetched-policies.js';
export { ListPolicies } from './supporting/policies/list-policies.js';
export { ListPolicySetParameters } from './supporting/policies/list-policy-set-parameters.js';
export { ListPolicySets } from './supporting/policies/list-policy-sets.js';
export type {
  PolicySetParameterDraft,
  PolicySetParameterView,
} from './supporting/policies/policy-set-parameter-values.js';
export { ReadPolicyCode } from './supporting/policies/read-policy-code.js';
export { RemovePolicy } from './supporting/policies/remove-policy.js';
export { RemovePolicySet } from './supporting/policies/remove-policy-set.js';
export { RemovePolicySetParameter } from './supporting/policies/remove-policy-set-parameter.js';
export { ShowPolicy } from './supporting/policies/show-policy.js';
export { ShowPolicySet } from './supporting/policies/show-policy-set.js';
export { ShowPolicySetParameter } from './supporting/policies/show-policy-set-parameter.js';
export { type ShownPolicySetVersion, ShowPolicySetVersion } from './supporting/policies/show-policy-set-version.js';
export { UpdatePolicy } from './supporting/policies/update-policy.js';
export { type PolicySetChange, UpdatePolicySet } from './supporting/policies/update-policy-set.js';
export { UpdatePolicySetParameter } from './supporting/policies/update-policy-set-parameter.js';
export { UploadPolicyCode } from './supporting/policies/upload-policy-code.js';
export { UploadPolicySetVersion } from './supporting/policies/upload-policy-set-version.js';
export { CreateProject, type OtherProjectSettings } from './supporting/projects/create-project.js';
export { ListProjects } from './supporting/projects/list-projects.js';
export { MoveWorkspaces } from './supporting/projects/move-workspaces.js';
export type { ChangedProject } from './supporting/projects/project-execution.js';
export { RemoveProject } from './supporting/projects/remove-project.js';
export { ShowProject } from './supporting/projects/show-project.js';
export { UpdateProject } from './supporting/projects/update-project.js';
export {
  AddWorkspaceTask,
  type WorkspaceTaskSettings,
} from './supporting/run-tasks/add-workspace-task.js';
export { CallRunTask } from './supporting/run-tasks/call-run-task.js';
export { CreateRunTask, type RunTaskDraft } from './supporting/run-tasks/create-run-task.js';
export { EndOverdueResults } from './supporting/run-tasks/end-overdue-results.js';
export { ListRunTasks } from './supporting/run-tasks/list-run-tasks.js';
export { type ListedTaskOutcome, ListTaskResultOutcomes } from './supporting/run-tasks/list-task-result-outcomes.js';
export { ListWorkspaceTasks } from './supporting/run-tasks/list-workspace-tasks.js';
export { ReadTaskFiles, type TaskFile } from './supporting/run-tasks/read-task-files.js';
export { RemoveRunTask } from './supporting/run-tasks/remove-run-task.js';
export { RemoveWorkspaceTask } from './supporting/run-tasks/remove-workspace-task.js';
export { CheckTaskResultToken, ReportTaskResult, type TaskCaller } from './supporting/run-tasks/report-task-result.js';
export { ShowRunTask } from './supporting/run-tasks/show-run-task.js';
export { ShowTaskResult } from './supporting/run-tasks/show-task-result.js';
export { ShowWorkspaceTask } from './supporting/run-tasks/show-workspace-task.js';
export { type ResultRepositories, TaskResultProgress } from './supporting/run-tasks/task-result-progress.js';
export { UpdateRunTask } from './supporting/run-tasks/update-run-task.js';
export { UpdateWorkspaceTask } from './supporting/run-tasks/update-workspace-task.js';
export { CreateRunTrigger } from './supporting/run-triggers/create-run-trigger.js';
export { ListRunTriggers } from './supporting/run-triggers/list-run-triggers.js';
export { RemoveRunTrigger } from './supporting/run-triggers/remove-run-trigger.js';
export { ShowRunTrigger } from './supporting/run-triggers/show-run-trigger.js';
export { TriggeredRuns } from './supporting/run-triggers/triggered-runs.js';
export { AddRunComment } from './supporting/runs/add-run-comment.js';
export { ChangeRun, type RunAction, runActions } from './supporting/runs/change-run.js';
export { CreateRun, type NewRun } from './supporting/runs/create-run.js';
export { type DecidingTeam, ListDecidingTeams } from './supporting/runs/list-deciding-teams.js';
export { ListQueuedRuns } from './supporting/runs/list-queued-runs.js';
export {
  ListOrganizationRuns,
  ListRuns,
  type OrganizationRunsQuery,
  type RunsQuery,
  type Timeframe,
} from './supporting/runs/list-runs.js';
export { type PlanJson, ReadPlanJson } from './supporting/runs/read-plan-json.js';
export { ReadRunLog } from './supporting/runs/read-run-log.js';
export {
  type DraftRun,
  type ProgressRepositories,
  RunProgress,
  type RunTransaction,
} from './supporting/runs/run-progress.js';
export {
  type Attention,
  attentionListed,
  attentionSearched,
  type Counted,
  type DueRun,
  type EndingToken,
  ShowAttention,
  type ShownNamedRun,
} from './supporting/runs/show-attention.js';
export { type ShownRun, ShowRun } from './supporting/runs/show-run.js';
export { ShowRunCapacity } from './supporting/runs/show-run-capacity.js';
export { ShowRunConfigurationVersion } from './supporting/runs/show-run-configuration-version.js';
export { type ShownPhase, ShowRunPhase } from './supporting/runs/show-run-phase.js';
export { AuthenticateSession, type ShownSession } from './supporting/sign-in/authenticate-session.js';
export { BeginSignIn } from './supporting/sign-in/begin-sign-in.js';
export { type Callback, CompleteSignIn, type SignedIn } from './supporting/sign-in/complete-sign-in.js';
export { EndSession } from './supporting/sign-in/end-session.js';
export { GroupMemberships } from './supporting/sign-in/group-memberships.js';
export { IdentityLinks, type LinkConfirmation } from './supporting/sign-in/identity-links.js';
export { type NewSession, NewSessions } from './supporting/sign-in/new-sessions.js';
export { EndAllSessions, EndOneSession, ListSessions, type OwnSessions } from './supporting/sign-in/own-sessions.js';
export { type BegunSignIn, PendingSignIns, type SignInPurpose } from './supporting/sign-in/pending-sign-in.js';
export { type IssuedSignInLink, IssueSignInLink, SignInByLink } from './supporting/sign-in/sign-in-links.js';
export { type BrowserSignIn, SignInWithToken } from './supporting/sign-in/sign-in-with-token.js';
export { IssueLoginCode, RedeemLoginCode, type Redemption } from './supporting/sign-in/terraform-login.js';
export { AddIdentity, ListIdentities, type NewIdentity, RemoveIdentity } from './supporting/sign-in/user-identities.js';
export { CreateStateVersion, type NewStateVersion } from './supporting/state-versions/create-state-version.js';
export {
  ListCurrentOutputs,
  ListStateOutputs,
  type PageOfOutputs,
} from './supporting/state-versions/list-state-outputs.js';
export type { ListedStateVersion, StateVersionQuery } from './supporting/state-versions/list-state-versions.js';
export { ListStateVersions } from './supporting/state-versions/list-state-versions.js';
export { RollBackState, type Rollback } from './supporting/state-versions/roll-back-state.js';
export { ShowStateOutput } from './supporting/state-versions/show-state-output.js';
export type { ShownStateVersion, StateVersionReference } from './supporting/state-versions/show-state-version.js';
export { ShowStateVersion } from './supporting/state-versions/show-state-version.js';
export type { ShownOutput } from './supporting/state-versions/shown-output.js';
export { StateOutputsReader } from './supporting/state-versions/state-outputs-reader.js';
export type { StateUrls } from './supporting/state-versions/state-urls.js';
export { UploadStateVersion } from './supporting/state-versions/upload-state-version.js';
export { BindTags } from './supporting/tags/bind-tags.js';
export { ChangeWorkspaceTags } from './supporting/tags/change-workspace-tags.js';
export { ListEffectiveTagBindings, ListTagBindings } from './supporting/tags/list-tag-bindings.js';
export { ListTags, ListWorkspaceTags } from './supporting/tags/list-tags.js';
export { RemoveTags } from './supporting/tags/remove-tags.js';
export { TagChanges, type TagReference, type WantedTags } from './supporting/tags/tag-changes.js';
export { TagWorkspaces } from './supporting/tags/tag-workspaces.js';
export { ChangeTeamMembers } from './supporting/teams/change-team-members.js';
export { CreateTeam } from './supporting/teams/create-team.js';
export { ListTeams } from './supporting/teams/list-teams.js';
export { RemoveTeam } from './supporting/teams/remove-team.js';
export { ShowTeam, type TeamWithMembers } from './supporting/teams/show-team.js';
export { type TeamChange, UpdateTeam } from './supporting/teams/update-team.js';
export { Authenticate } from './supporting/users/authenticate.js';
export { ChangeUserSuspension } from './supporting/users/change-user-suspension.js';
export { CreateUser, type NewUser } from './supporting/users/create-user.js';
export { ListUsers } from './supporting/users/list-users.js';
export { RemoveUser } from './supporting/users/remove-user.js';
export { ShowAccount } from './supporting/users/show-account.js';
export { TokenUses } from './supporting/users/token-uses.js';
export { AttachVariableSet } from './supporting/variables/attach-variable-set.js';
export { CreateSetVariable } from './supporting/variables/create-set-variable.js';
export { CreateVariable, type VariableDraft } from './supporting/variables/create-variable.js';
export { CreateVariableSet, type NewVariableSet } from './supporting/variables/create-variable-set.js';
export { ListAllVariables } from './supporting/variables/list-all-variables.js';
export {
  ListProjectVariableSets,
  ListVariableSets,
  ListWorkspaceVariableSets,
} from './supporting/variables/list-variable-sets.js';
export { ListVariables } from './supporting/variables/list-variables.js';
export { NewVariables } from './supporting/variables/new-variables.js';
export { ListSetVariables, ShowSetVariable } from './supporting/variables/read-set-variables.js';
export { RemoveSetVariable } from './supporting/variables/remove-set-variable.js';
export { RemoveVariable } from './supporting/variables/remove-variable.js';
export { RemoveVariableSet } from './supporting/variables/remove-variable-set.js';
export { ShowVariable } from './supporting/variables/show-variable.js';
export { ShowVariableSet } from './supporting/variables/show-variable-set.js';
export { UpdateSetVariable } from './supporting/variables/update-set-variable.js';
export { UpdateVariable } from './supporting/variables/update-variable.js';
export { UpdateVariableSet, type VariableSetChange } from './supporting/variables/update-variable-set.js';
export type { OpenedVariable, VariableView } from './supporting/variables/variable-values.js';
export { CommitFiles, type FetchedFiles, type FetchedPolicyFiles } from './supporting/version-control/commit-files.js';
export { FetchCommit } from './supporting/version-control/fetch-commit.js';
export { type CommitToFetch, FetchedVersions } from './supporting/version-control/fetched-version.js';
export type { ForgeDelivery, ForgeEvent } from './supporting/version-control/forge-event.js';
export { ReceiveWebhook } from './supporting/version-control/receive-webhook.js';
export { WebhookKeys } from './supporting/version-control/webhook-keys.js';
export { ChangeWorkspaceLock } from './supporting/workspaces/change-workspace-lock.js';
export { CreateWorkspace, type NewWorkspace } from './supporting/workspaces/create-workspace.js';
export {
  RemoveDataRetention,
  type RetentionOwner,
  retentionActions,
  SetDataRetention,
  ShowDataRetention,
} from './supporting/workspaces/data-retention-policy.js';
export type { WorkspaceReference } from './supporting/workspaces/find-workspace.js';
export type { ChangedWorkspace, WorkspaceChange } from './supporting/workspaces/link-repository.js';
export { ListWorkspaces } from './supporting/workspaces/list-workspaces.js';
export { RemoveWorkspace } from './supporting/workspaces/remove-workspace.js';
export { type ShownWorkspace, ShowWorkspace } from './supporting/workspaces/show-workspace.js';
export { ChangeStateConsumers, ListStateConsumers } from './supporting/workspaces/state-consumers.js';
export { UpdateWorkspace } from './supporting/workspaces/update-workspace.js';
export { AddProjectAccess, type NewProjectAccess } from './team-access/add-project-access.js';
export { AddTeamAccess, type NewTeamAccess } from './team-access/add-team-access.js';
export {
  type AccessHoldersPage,
  type AccessHoldersQuery,
  ListAccessHolders,
  type RightHolder,
} from './team-access/list-access-holders.js';
export { ListEffectiveAccess } from './team-access/list-effective-access.js';
export { ListProjectAccess, type ProjectAccessQuery } from './team-access/list-project-access.js';
export { ListTeamAccess, type TeamAccessQuery } from './team-access/list-team-access.js';
export { ListWholeTeamAccess } from './team-access/list-whole-team-access.js';
export {
  type AccessReportPart,
  type AccessReportParts,
  type AccessReportRow,
  ReadAccessReport,
} from './team-access/read-access-report.js';
export { RemoveProjectAccess } from './team-access/remove-project-access.js';
export { RemoveTeamAccess } from './team-access/remove-team-access.js';
export { type EffectiveAccess, ShowEffectiveAccess } from './team-access/show-effective-access.js';
export { ShowProjectAccess } from './team-access/show-project-access.js';
export { ShowTeamAccess } from './team-access/show-team-access.js';
export { UpdateProjectAccess } from './team-access/update-project-access.js';
export { UpdateTeamAccess } from './team-access/update-team-access.js';
export type { ManageableToken } from './tokens/find-manageable-token.js';
export { IssueOrganizationToken } from './tokens/issue-organization-token.js';
export { IssueTeamToken } from './tokens/issue-team-token.js';
export { IssueUserToken, type NewUserToken } from './tokens/issue-user-token.js';
export { type ExpiryStatus, expiryStatuses, ListTeamTokens, type TeamTokensQuery } from './tokens/list-team-tokens.js';
export { ListUserTokens } from './tokens/list-user-tokens.js';
export { RevokeOrganizationToken } from './tokens/revoke-organization-token.js';
export { RevokeTeamToken } from './tokens/revoke-team-token.js';
export { RevokeToken } from './tokens/revoke-token.js';
export { ShowOrganizationToken } from './tokens/show-organization-token.js';
export { ShowTeamToken } from './tokens/show-team-token.js';
export { ShowToken } from './tokens/show-token.js';
export { type IssuedToken, type NewToken, TokenIssuer } from './tokens/token-issuer.js';
