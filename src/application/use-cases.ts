import { type Bound, bind } from './assembly.js';
import { ApplyDataRetention } from './background/apply-data-retention.js';
import { CreateScheduledDestroys } from './background/create-scheduled-destroys.js';
import { EndPolicyTrials } from './background/end-policy-trials.js';
import { housekeeping } from './background/housekeeping.js';
import { ListFailingEffects } from './background/list-failing-effects.js';
import { ListRemovals } from './background/list-removals.js';
import { PerformEffects } from './background/perform-effects.js';
import { RetryEffect } from './background/retry-effect.js';
import { ArchiveConfigurationVersion } from './configuration-versions/archive-configuration-version.js';
import { ChangeBackingData } from './configuration-versions/change-backing-data.js';
import { CreateConfigurationVersion } from './configuration-versions/create-configuration-version.js';
import { ListConfigurationVersions } from './configuration-versions/list-configuration-versions.js';
import { LocateBundle } from './configuration-versions/locate-bundle.js';
import { ShowConfigurationVersion } from './configuration-versions/show-configuration-version.js';
import { ShowIngressAttributes } from './configuration-versions/show-ingress-attributes.js';
import { UploadConfigurationBundle } from './configuration-versions/upload-configuration-bundle.js';
import { ReadBundle } from './files/read-bundle.js';
import { ReadSharedStates } from './files/read-shared-states.js';
import { SweepBundles } from './files/sweep-bundles.js';
import { ListRunEvents, ShowRunComment, ShowRunEvent } from './included/list-run-events.js';
import { ShowOrganizationsOfUsers } from './included/show-organizations-of-users.js';
import { ShowRelatedToPolicySets } from './included/show-related-to-policy-sets.js';
import { ShowRelatedToProjects } from './included/show-related-to-projects.js';
import { ShowRelatedToRunTasks } from './included/show-related-to-run-tasks.js';
import { ShowRelatedToRunTriggers } from './included/show-related-to-run-triggers.js';
import { ShowRelatedToRuns } from './included/show-related-to-runs.js';
import { ShowRelatedToTeams } from './included/show-related-to-teams.js';
import { ShowRelatedToVariableSets } from './included/show-related-to-variable-sets.js';
import { ShowRelatedToWorkspaces } from './included/show-related-to-workspaces.js';
import { ShowWorkspacesOfAgentPools } from './included/show-workspaces-of-agent-pools.js';
import { CountPolicyOutcomes } from './policy-outcomes/count-policy-outcomes.js';
import { CreatePolicyTrial } from './policy-outcomes/create-policy-trial.js';
import { ListPolicyEvaluations } from './policy-outcomes/list-policy-evaluations.js';
import { ListPolicySetOutcomes } from './policy-outcomes/list-policy-set-outcomes.js';
import { ListTaskStages } from './policy-outcomes/list-task-stages.js';
import { OverrideTaskStage } from './policy-outcomes/override-task-stage.js';
import { ShowPolicyEvaluation } from './policy-outcomes/show-policy-evaluation.js';
import { ShowPolicySetOutcome } from './policy-outcomes/show-policy-set-outcome.js';
import {
  CancelPolicyTrial,
  ListPolicyTrialResults,
  ListPolicyTrials,
  ShowPolicyTrial,
} from './policy-outcomes/show-policy-trial.js';
import { ShowTaskStage } from './policy-outcomes/show-task-stage.js';
import {
  archiveOldVersions,
  byteQuota,
  changeFeed,
  deliveries,
  effectPerformers,
  fetchedPolicies,
  fetchedVersions,
  groupMemberships,
  identityLinks,
  newSessions,
  newVariables,
  pendingSignIns,
  refusals,
  repositoryLinks,
  runProgress,
  tagChanges,
  taskResultProgress,
  tokenIssuer,
  tokenUses,
  uploads,
  webhookKeys,
} from './shared-objects.js';
import { CreateAgentPool, CreateSiteAgentPool } from './supporting/agent-pools/create-agent-pool.js';
import { IssueAgentToken } from './supporting/agent-pools/issue-agent-token.js';
import { ListAgentPools, ListSiteAgentPools } from './supporting/agent-pools/list-agent-pools.js';
import { ListAgentTokens } from './supporting/agent-pools/list-agent-tokens.js';
import { RemoveAgentPool } from './supporting/agent-pools/remove-agent-pool.js';
import { ShowAgentPool } from './supporting/agent-pools/show-agent-pool.js';
import { UpdateAgentPool } from './supporting/agent-pools/update-agent-pool.js';
import { AnnounceState } from './supporting/agents/announce-state.js';
import { AppendRunLog } from './supporting/agents/append-run-log.js';
import { AuthenticateAgent } from './supporting/agents/authenticate-agent.js';
import { ClaimPolicyTrial } from './supporting/agents/claim-policy-trial.js';
import { ClaimRun } from './supporting/agents/claim-run.js';
import { EvaluatePolicyTrial } from './supporting/agents/evaluate-policy-trial.js';
import { CheckLease } from './supporting/agents/lease-holder.js';
import { LookForWork } from './supporting/agents/look-for-work.js';
import { ReadPlanFile } from './supporting/agents/read-plan-file.js';
import { ReadRunFiles } from './supporting/agents/read-run-files.js';
import { ReadRunPolicy } from './supporting/agents/read-run-policy.js';
import { ReadRunPolicyArchive } from './supporting/agents/read-run-policy-archive.js';
import { ReadRunState } from './supporting/agents/read-run-state.js';
import { ReclaimLostRuns } from './supporting/agents/reclaim-lost-runs.js';
import { RenewLease } from './supporting/agents/renew-lease.js';
import { ReportPhase } from './supporting/agents/report-phase.js';
import { ReportPolicyEvaluation } from './supporting/agents/report-policy-evaluation.js';
import { StoreRunArtifact } from './supporting/agents/store-run-artifact.js';
import { UploadState } from './supporting/agents/upload-state.js';
import { ForgetAuditEvents } from './supporting/audit/forget-audit-events.js';
import { ListAuditEvents, ListAuditTrails, ListSiteAuditEvents } from './supporting/audit/list-audit-events.js';
import { FollowOrganization, FollowWorkspace } from './supporting/changes/follow-changes.js';
import { CreateNotificationConfiguration } from './supporting/notifications/create-notification-configuration.js';
import { ListNotificationConfigurations } from './supporting/notifications/list-notification-configurations.js';
import { RemoveNotificationConfiguration } from './supporting/notifications/remove-notification-configuration.js';
import { ShowNotificationConfiguration } from './supporting/notifications/show-notification-configuration.js';
import { UpdateNotificationConfiguration } from './supporting/notifications/update-notification-configuration.js';
import { VerifyNotificationConfiguration } from './supporting/notifications/verify-notification-configuration.js';
import { AddOrganizationMembership } from './supporting/organizations/add-organization-membership.js';
import { CreateOrganization } from './supporting/organizations/create-organization.js';
import { ListOrganizationMemberships } from './supporting/organizations/list-organization-memberships.js';
import { ListOrganizations } from './supporting/organizations/list-organizations.js';
import { GiveOrganizationGroups, ShowOrganizationGroups } from './supporting/organizations/organization-groups.js';
import { RemoveOrganization } from './supporting/organizations/remove-organization.js';
import { RemoveOrganizationMembership } from './supporting/organizations/remove-organization-membership.js';
import { ShowOrganization } from './supporting/organizations/show-organization.js';
import { ShowOrganizationMembership } from './supporting/organizations/show-organization-membership.js';
import { ChangeTokenLifetimes, ListTokenLifetimes } from './supporting/organizations/token-lifetimes.js';
import { UpdateOrganization } from './supporting/organizations/update-organization.js';
import { AttachPolicySet } from './supporting/policies/attach-policy-set.js';
import { ChangePoliciesOfSet } from './supporting/policies/change-policies-of-set.js';
import { ChangeTagSelectors } from './supporting/policies/change-tag-selectors.js';
import { CreatePolicy } from './supporting/policies/create-policy.js';
import { CreatePolicySet } from './supporting/policies/create-policy-set.js';
import { CreatePolicySetParameter } from './supporting/policies/create-policy-set-parameter.js';
import { CreatePolicySetVersion } from './supporting/policies/create-policy-set-version.js';
import { DiscardPolicyArchives } from './supporting/policies/discard-policy-archives.js';
import { ListPolicies } from './supporting/policies/list-policies.js';
import { ListPolicySetParameters } from './supporting/policies/list-policy-set-parameters.js';
import { ListPolicySets } from './supporting/policies/list-policy-sets.js';
import { ReadPolicyCode } from './supporting/policies/read-policy-code.js';
import { RemovePolicy } from './supporting/policies/remove-policy.js';
import { RemovePolicySet } from './supporting/policies/remove-policy-set.js';
import { RemovePolicySetParameter } from './supporting/policies/remove-policy-set-parameter.js';
import { ShowPolicy } from './supporting/policies/show-policy.js';
import { ShowPolicySet } from './supporting/policies/show-policy-set.js';
import { ShowPolicySetParameter } from './supporting/policies/show-policy-set-parameter.js';
import { ShowPolicySetVersion } from './supporting/policies/show-policy-set-version.js';
import { UpdatePolicy } from './supporting/policies/update-policy.js';
import { UpdatePolicySet } from './supporting/policies/update-policy-set.js';
import { UpdatePolicySetParameter } from './supporting/policies/update-policy-set-parameter.js';
import { UploadPolicyCode } from './supporting/policies/upload-policy-code.js';
import { UploadPolicySetVersion } from './supporting/policies/upload-policy-set-version.js';
import { CreateProject } from './supporting/projects/create-project.js';
import { ListProjects } from './supporting/projects/list-projects.js';
import { MoveWorkspaces } from './supporting/projects/move-workspaces.js';
import { RemoveProject } from './supporting/projects/remove-project.js';
import { ShowProject } from './supporting/projects/show-project.js';
import { UpdateProject } from './supporting/projects/update-project.js';
import { AddWorkspaceTask } from './supporting/run-tasks/add-workspace-task.js';
import { CreateRunTask } from './supporting/run-tasks/create-run-task.js';
import { EndOverdueResults } from './supporting/run-tasks/end-overdue-results.js';
import { ListRunTasks } from './supporting/run-tasks/list-run-tasks.js';
import { ListTaskResultOutcomes } from './supporting/run-tasks/list-task-result-outcomes.js';
import { ListWorkspaceTasks } from './supporting/run-tasks/list-workspace-tasks.js';
import { ReadTaskFiles } from './supporting/run-tasks/read-task-files.js';
import { RemoveRunTask } from './supporting/run-tasks/remove-run-task.js';
import { RemoveWorkspaceTask } from './supporting/run-tasks/remove-workspace-task.js';
import { CheckTaskResultToken, ReportTaskResult } from './supporting/run-tasks/report-task-result.js';
import { ShowRunTask } from './supporting/run-tasks/show-run-task.js';
import { ShowTaskResult } from './supporting/run-tasks/show-task-result.js';
import { ShowWorkspaceTask } from './supporting/run-tasks/show-workspace-task.js';
import { UpdateRunTask } from './supporting/run-tasks/update-run-task.js';
import { UpdateWorkspaceTask } from './supporting/run-tasks/update-workspace-task.js';
import { CreateRunTrigger } from './supporting/run-triggers/create-run-trigger.js';
import { ListRunTriggers } from './supporting/run-triggers/list-run-triggers.js';
import { RemoveRunTrigger } from './supporting/run-triggers/remove-run-trigger.js';
import { ShowRunTrigger } from './supporting/run-triggers/show-run-trigger.js';
import { AddRunComment } from './supporting/runs/add-run-comment.js';
import { ChangeRun } from './supporting/runs/change-run.js';
import { CreateRun } from './supporting/runs/create-run.js';
import { ListDecidingTeams } from './supporting/runs/list-deciding-teams.js';
import { ListQueuedRuns } from './supporting/runs/list-queued-runs.js';
import { ListOrganizationRuns, ListRuns } from './supporting/runs/list-runs.js';
import { ReadPlanJson } from './supporting/runs/read-plan-json.js';
import { ReadRunLog } from './supporting/runs/read-run-log.js';
import { ShowAttention } from './supporting/runs/show-attention.js';
import { ShowRun } from './supporting/runs/show-run.js';
import { ShowRunCapacity } from './supporting/runs/show-run-capacity.js';
import { ShowRunConfigurationVersion } from './supporting/runs/show-run-configuration-version.js';
import { ShowRunPhase } from './supporting/runs/show-run-phase.js';
import { AuthenticateSession } from './supporting/sign-in/authenticate-session.js';
import { BeginSignIn } from './supporting/sign-in/begin-sign-in.js';
import { CompleteSignIn } from './supporting/sign-in/complete-sign-in.js';
import { EndSession } from './supporting/sign-in/end-session.js';
import { EndAllSessions, EndOneSession, ListSessions } from './supporting/sign-in/own-sessions.js';
import { IssueSignInLink, SignInByLink } from './supporting/sign-in/sign-in-links.js';
import { SignInWithToken } from './supporting/sign-in/sign-in-with-token.js';
import { IssueLoginCode, RedeemLoginCode } from './supporting/sign-in/terraform-login.js';
import { AddIdentity, ListIdentities, RemoveIdentity } from './supporting/sign-in/user-identities.js';
import { CreateStateVersion } from './supporting/state-versions/create-state-version.js';
import { ListCurrentOutputs, ListStateOutputs } from './supporting/state-versions/list-state-outputs.js';
import { ListStateVersions } from './supporting/state-versions/list-state-versions.js';
import { RollBackState } from './supporting/state-versions/roll-back-state.js';
import { ShowStateOutput } from './supporting/state-versions/show-state-output.js';
import { ShowStateVersion } from './supporting/state-versions/show-state-version.js';
import { UploadStateVersion } from './supporting/state-versions/upload-state-version.js';
import { BindTags } from './supporting/tags/bind-tags.js';
import { ChangeWorkspaceTags } from './supporting/tags/change-workspace-tags.js';
import { ListEffectiveTagBindings, ListTagBindings } from './supporting/tags/list-tag-bindings.js';
import { ListTags, ListWorkspaceTags } from './supporting/tags/list-tags.js';
import { RemoveTags } from './supporting/tags/remove-tags.js';
import { TagWorkspaces } from './supporting/tags/tag-workspaces.js';
import { ChangeTeamMembers } from './supporting/teams/change-team-members.js';
import { CreateTeam } from './supporting/teams/create-team.js';
import { ListTeams } from './supporting/teams/list-teams.js';
import { RemoveTeam } from './supporting/teams/remove-team.js';
import { ShowTeam } from './supporting/teams/show-team.js';
import { UpdateTeam } from './supporting/teams/update-team.js';
import { Authenticate } from './supporting/users/authenticate.js';
import { ChangeUserSuspension } from './supporting/users/change-user-suspension.js';
import { CreateUser } from './supporting/users/create-user.js';
import { ListUsers } from './supporting/users/list-users.js';
import { RemoveUser } from './supporting/users/remove-user.js';
import { ShowAccount } from './supporting/users/show-account.js';
import { AttachVariableSet } from './supporting/variables/attach-variable-set.js';
import { CreateSetVariable } from './supporting/variables/create-set-variable.js';
import { CreateVariable } from './supporting/variables/create-variable.js';
import { CreateVariableSet } from './supporting/variables/create-variable-set.js';
import { ListAllVariables } from './supporting/variables/list-all-variables.js';
import {
  ListProjectVariableSets,
  ListVariableSets,
  ListWorkspaceVariableSets,
} from './supporting/variables/list-variable-sets.js';
import { ListVariables } from './supporting/variables/list-variables.js';
import { ListSetVariables, ShowSetVariable } from './supporting/variables/read-set-variables.js';
import { RemoveSetVariable } from './supporting/variables/remove-set-variable.js';
import { RemoveVariable } from './supporting/variables/remove-variable.js';
import { RemoveVariableSet } from './supporting/variables/remove-variable-set.js';
import { ShowVariable } from './supporting/variables/show-variable.js';
import { ShowVariableSet } from './supporting/variables/show-variable-set.js';
import { UpdateSetVariable } from './supporting/variables/update-set-variable.js';
import { UpdateVariable } from './supporting/variables/update-variable.js';
import { UpdateVariableSet } from './supporting/variables/update-variable-set.js';
import { FetchCommit } from './supporting/version-control/fetch-commit.js';
import { ReceiveWebhook } from './supporting/version-control/receive-webhook.js';
import { ChangeWorkspaceLock } from './supporting/workspaces/change-workspace-lock.js';
import { CreateWorkspace } from './supporting/workspaces/create-workspace.js';
import {
  RemoveDataRetention,
  SetDataRetention,
  ShowDataRetention,
} from './supporting/workspaces/data-retention-policy.js';
import { ListWorkspaces } from './supporting/workspaces/list-workspaces.js';
import { RemoveWorkspace } from './supporting/workspaces/remove-workspace.js';
import { ShowWorkspace } from './supporting/workspaces/show-workspace.js';
import { ChangeStateConsumers, ListStateConsumers } from './supporting/workspaces/state-consumers.js';
import { UpdateWorkspace } from './supporting/workspaces/update-workspace.js';
import { AddProjectAccess } from './team-access/add-project-access.js';
import { AddTeamAccess } from './team-access/add-team-access.js';
import { ListAccessHolders } from './team-access/list-access-holders.js';
import { ListEffectiveAccess } from './team-access/list-effective-access.js';
import { ListProjectAccess } from './team-access/list-project-access.js';
import { ListTeamAccess } from './team-access/list-team-access.js';
import { ListWholeTeamAccess } from './team-access/list-whole-team-access.js';
import { ReadAccessReport } from './team-access/read-access-report.js';
import { RemoveProjectAccess } from './team-access/remove-project-access.js';
import { RemoveTeamAccess } from './team-access/remove-team-access.js';
import { ShowEffectiveAccess } from './team-access/show-effective-access.js';
import { ShowProjectAccess } from './team-access/show-project-access.js';
import { ShowTeamAccess } from './team-access/show-team-access.js';
import { UpdateProjectAccess } from './team-access/update-project-access.js';
import { UpdateTeamAccess } from './team-access/update-team-access.js';
import { IssueOrganizationToken } from './tokens/issue-organization-token.js';
import { IssueTeamToken } from './tokens/issue-team-token.js';
import { IssueUserToken } from './tokens/issue-user-token.js';
import { ListTeamTokens } from './tokens/list-team-tokens.js';
import { ListUserTokens } from './tokens/list-user-tokens.js';
import { RevokeOrganizationToken } from './tokens/revoke-organization-token.js';
import { RevokeTeamToken } from './tokens/revoke-team-token.js';
import { RevokeToken } from './tokens/revoke-token.js';
import { ShowOrganizationToken } from './tokens/show-organization-token.js';
import { ShowTeamToken } from './tokens/show-team-token.js';
import { ShowToken } from './tokens/show-token.js';

/** Every use case with its dependencies. */
export const useCases = {
  createConfigurationVersion: bind(
    CreateConfigurationVersion,
    'unitOfWork',
    'clock',
    'ids',
    'capabilityUrls',
    byteQuota,
  ),
  listConfigurationVersions: bind(ListConfigurationVersions, 'unitOfWork'),
  showConfigurationVersion: bind(ShowConfigurationVersion, 'unitOfWork'),
  showIngressAttributes: bind(ShowIngressAttributes, 'unitOfWork'),
  archiveConfigurationVersion: bind(ArchiveConfigurationVersion, 'unitOfWork', 'clock'),
  locateBundle: bind(LocateBundle, 'unitOfWork', 'clock', 'capabilityUrls', 'bundleStore'),
  readBundle: bind(ReadBundle, 'unitOfWork', 'clock', 'capabilityUrls', 'bundleStore'),
  uploadConfigurationBundle: bind(
    UploadConfigurationBundle,
    'unitOfWork',
    'clock',
    uploads,
    'bundleInspector',
    byteQuota,
  ),
  changeBackingData: bind(ChangeBackingData, 'unitOfWork', 'clock', 'settings'),
  archiveOldVersions,

  addTeamAccess: bind(AddTeamAccess, 'unitOfWork', 'clock', 'ids'),
  listTeamAccess: bind(ListTeamAccess, 'unitOfWork', 'clock'),
  listWholeTeamAccess: bind(ListWholeTeamAccess, 'unitOfWork', 'clock'),
  showTeamAccess: bind(ShowTeamAccess, 'unitOfWork'),
  updateTeamAccess: bind(UpdateTeamAccess, 'unitOfWork', 'clock'),
  removeTeamAccess: bind(RemoveTeamAccess, 'unitOfWork'),
  showEffectiveAccess: bind(ShowEffectiveAccess, 'unitOfWork'),
  listEffectiveAccess: bind(ListEffectiveAccess, 'unitOfWork'),
  listAccessHolders: bind(ListAccessHolders, 'unitOfWork'),
  readAccessReport: bind(ReadAccessReport, 'unitOfWork', 'snapshots'),

  addProjectAccess: bind(AddProjectAccess, 'unitOfWork', 'clock', 'ids'),
  listProjectAccess: bind(ListProjectAccess, 'unitOfWork', 'clock'),
  showProjectAccess: bind(ShowProjectAccess, 'unitOfWork'),
  updateProjectAccess: bind(UpdateProjectAccess, 'unitOfWork', 'clock'),
  removeProjectAccess: bind(RemoveProjectAccess, 'unitOfWork'),

  issueTeamToken: bind(IssueTeamToken, 'unitOfWork', tokenIssuer),
  listTeamTokens: bind(ListTeamTokens, 'unitOfWork', 'clock'),
  showTeamToken: bind(ShowTeamToken, 'unitOfWork'),
  revokeTeamToken: bind(RevokeTeamToken, 'unitOfWork'),

  listTaskStages: bind(ListTaskStages, 'unitOfWork'),
  showTaskStage: bind(ShowTaskStage, 'unitOfWork'),
  overrideTaskStage: bind(OverrideTaskStage, 'unitOfWork', 'clock', runProgress),
  listPolicyEvaluations: bind(ListPolicyEvaluations, 'unitOfWork'),
  showPolicyEvaluation: bind(ShowPolicyEvaluation, 'unitOfWork'),
  listPolicySetOutcomes: bind(ListPolicySetOutcomes, 'unitOfWork'),
  showPolicySetOutcome: bind(ShowPolicySetOutcome, 'unitOfWork'),
  countPolicyOutcomes: bind(CountPolicyOutcomes, 'unitOfWork', 'clock'),

  createPolicyTrial: bind(CreatePolicyTrial, 'unitOfWork', 'clock', 'ids', 'bundleInspector'),
  listPolicyTrials: bind(ListPolicyTrials, 'unitOfWork'),
  showPolicyTrial: bind(ShowPolicyTrial, 'unitOfWork'),
  listPolicyTrialResults: bind(ListPolicyTrialResults, 'unitOfWork'),
  cancelPolicyTrial: bind(CancelPolicyTrial, 'unitOfWork', 'clock'),
  endPolicyTrials: bind(EndPolicyTrials, 'unitOfWork', 'clock'),

  createOrganization: bind(CreateOrganization, 'unitOfWork', 'clock', 'ids', 'identityProvider'),
  listOrganizations: bind(ListOrganizations, 'unitOfWork'),
  showOrganization: bind(ShowOrganization, 'unitOfWork'),
  updateOrganization: bind(UpdateOrganization, 'unitOfWork', 'identityProvider'),
  removeOrganization: bind(RemoveOrganization, 'unitOfWork', 'clock'),
  showOrganizationGroups: bind(ShowOrganizationGroups, 'unitOfWork'),
  giveOrganizationGroups: bind(GiveOrganizationGroups, 'unitOfWork', groupMemberships),
  issueOrganizationToken: bind(IssueOrganizationToken, 'unitOfWork', tokenIssuer),
  showOrganizationToken: bind(ShowOrganizationToken, 'unitOfWork'),
  revokeOrganizationToken: bind(RevokeOrganizationToken, 'unitOfWork'),
  listTokenLifetimes: bind(ListTokenLifetimes, 'unitOfWork'),
  changeTokenLifetimes: bind(ChangeTokenLifetimes, 'unitOfWork', 'clock'),
  addOrganizationMembership: bind(AddOrganizationMembership, 'unitOfWork', 'clock', 'ids'),
  listOrganizationMemberships: bind(ListOrganizationMemberships, 'unitOfWork'),
  showOrganizationMembership: bind(ShowOrganizationMembership, 'unitOfWork'),
  removeOrganizationMembership: bind(RemoveOrganizationMembership, 'unitOfWork'),

  createTeam: bind(CreateTeam, 'unitOfWork', 'clock', 'ids'),
  listTeams: bind(ListTeams, 'unitOfWork'),
  showTeam: bind(ShowTeam, 'unitOfWork'),
  updateTeam: bind(UpdateTeam, 'unitOfWork'),
  removeTeam: bind(RemoveTeam, 'unitOfWork', 'clock'),
  changeTeamMembers: bind(ChangeTeamMembers, 'unitOfWork'),

  tokenUses,
  authenticate: bind(Authenticate, 'unitOfWork', 'clock', 'secrets', tokenUses),
  authenticateSession: bind(AuthenticateSession, 'unitOfWork', 'clock', 'secrets', tokenUses, 'identityProvider'),
  signInWithToken: bind(SignInWithToken, 'unitOfWork', 'identityProvider', newSessions, 'clock', 'secrets', tokenUses),
  issueSignInLink: bind(IssueSignInLink, 'unitOfWork', 'clock', 'secrets'),
  signInByLink: bind(SignInByLink, 'unitOfWork', newSessions, 'clock', 'secrets'),
  beginSignIn: bind(BeginSignIn, pendingSignIns),
  identityLinks,
  completeSignIn: bind(
    CompleteSignIn,
    'unitOfWork',
    pendingSignIns,
    'identityProvider',
    identityLinks,
    groupMemberships,
    newSessions,
    'clock',
    'ids',
    'settings',
  ),
  listSessions: bind(ListSessions, 'unitOfWork', 'clock'),
  endOneSession: bind(EndOneSession, 'unitOfWork'),
  endAllSessions: bind(EndAllSessions, 'unitOfWork'),
  endSession: bind(EndSession, 'unitOfWork', 'secrets'),
  issueLoginCode: bind(IssueLoginCode, 'unitOfWork', 'clock', 'secrets'),
  redeemLoginCode: bind(RedeemLoginCode, 'unitOfWork', 'clock', 'secrets', tokenIssuer, 'settings'),
  addIdentity: bind(AddIdentity, 'unitOfWork', 'clock', 'ids'),
  listIdentities: bind(ListIdentities, 'unitOfWork'),
  removeIdentity: bind(RemoveIdentity, 'unitOfWork', 'clock', groupMemberships),
  createUser: bind(CreateUser, 'unitOfWork', 'clock', 'ids', tokenIssuer),
  listUsers: bind(ListUsers, 'unitOfWork'),
  changeUserSuspension: bind(ChangeUserSuspension, 'unitOfWork'),
  removeUser: bind(RemoveUser, 'unitOfWork', 'clock'),
  showAccount: bind(ShowAccount, 'unitOfWork'),
  issueUserToken: bind(IssueUserToken, 'unitOfWork', 'clock', tokenIssuer, 'settings'),
  listUserTokens: bind(ListUserTokens, 'unitOfWork'),
  showToken: bind(ShowToken, 'unitOfWork'),
  revokeToken: bind(RevokeToken, 'unitOfWork'),

  createWorkspace: bind(CreateWorkspace, 'unitOfWork', 'clock', 'ids', repositoryLinks, tagChanges),
  listWorkspaces: bind(ListWorkspaces, 'unitOfWork'),
  showWorkspace: bind(ShowWorkspace, 'unitOfWork'),
  updateWorkspace: bind(UpdateWorkspace, 'unitOfWork', 'clock', repositoryLinks, tagChanges),
  removeWorkspace: bind(RemoveWorkspace, 'unitOfWork', 'clock'),
  listStateConsumers: bind(ListStateConsumers, 'unitOfWork'),
  changeStateConsumers: bind(ChangeStateConsumers, 'unitOfWork'),
  showDataRetention: bind(ShowDataRetention, 'unitOfWork'),
  setDataRetention: bind(SetDataRetention, 'unitOfWork', 'clock', 'ids'),
  removeDataRetention: bind(RemoveDataRetention, 'unitOfWork', 'clock'),
  applyDataRetention: bind(ApplyDataRetention, 'unitOfWork', 'clock', archiveOldVersions),
  changeWorkspaceLock: bind(ChangeWorkspaceLock, 'unitOfWork', 'clock', runProgress),

  createProject: bind(CreateProject, 'unitOfWork', 'clock', 'ids', tagChanges),
  listProjects: bind(ListProjects, 'unitOfWork'),
  showProject: bind(ShowProject, 'unitOfWork'),
  updateProject: bind(UpdateProject, 'unitOfWork', 'clock', tagChanges),
  removeProject: bind(RemoveProject, 'unitOfWork'),
  moveWorkspaces: bind(MoveWorkspaces, 'unitOfWork', 'clock'),

  listTags: bind(ListTags, 'unitOfWork'),
  listWorkspaceTags: bind(ListWorkspaceTags, 'unitOfWork'),
  changeWorkspaceTags: bind(ChangeWorkspaceTags, 'unitOfWork', tagChanges),
  tagWorkspaces: bind(TagWorkspaces, 'unitOfWork', tagChanges),
  removeTags: bind(RemoveTags, 'unitOfWork'),
  listTagBindings: bind(ListTagBindings, 'unitOfWork'),
  listEffectiveTagBindings: bind(ListEffectiveTagBindings, 'unitOfWork'),
  bindTags: bind(BindTags, 'unitOfWork', tagChanges),

  createVariable: bind(CreateVariable, 'unitOfWork', 'clock', 'ids', 'secretBox'),
  listVariables: bind(ListVariables, 'unitOfWork', 'secretBox'),
  showVariable: bind(ShowVariable, 'unitOfWork', 'secretBox'),
  updateVariable: bind(UpdateVariable, 'unitOfWork', 'secretBox'),
  removeVariable: bind(RemoveVariable, 'unitOfWork'),
  listAllVariables: bind(ListAllVariables, 'unitOfWork', 'secretBox'),

  createVariableSet: bind(CreateVariableSet, 'unitOfWork', 'clock', 'ids', newVariables),
  listVariableSets: bind(ListVariableSets, 'unitOfWork'),
  listWorkspaceVariableSets: bind(ListWorkspaceVariableSets, 'unitOfWork'),
  listProjectVariableSets: bind(ListProjectVariableSets, 'unitOfWork'),
  showVariableSet: bind(ShowVariableSet, 'unitOfWork'),
  showRelatedToVariableSets: bind(ShowRelatedToVariableSets, 'unitOfWork', 'secretBox'),
  updateVariableSet: bind(UpdateVariableSet, 'unitOfWork', 'clock', newVariables),
  attachVariableSet: bind(AttachVariableSet, 'unitOfWork', 'clock'),
  removeVariableSet: bind(RemoveVariableSet, 'unitOfWork'),
  createSetVariable: bind(CreateSetVariable, 'unitOfWork', 'secretBox', newVariables),
  listSetVariables: bind(ListSetVariables, 'unitOfWork', 'secretBox'),
  showSetVariable: bind(ShowSetVariable, 'unitOfWork', 'secretBox'),
  updateSetVariable: bind(UpdateSetVariable, 'unitOfWork', 'secretBox'),
  removeSetVariable: bind(RemoveSetVariable, 'unitOfWork'),

  createRun: bind(CreateRun, 'unitOfWork', runProgress, byteQuota),
  createScheduledDestroys: bind(CreateScheduledDestroys, 'unitOfWork', 'clock', runProgress, byteQuota),
  listRuns: bind(ListRuns, 'unitOfWork', 'clock'),
  listDecidingTeams: bind(ListDecidingTeams, 'unitOfWork'),
  showRelatedToWorkspaces: bind(ShowRelatedToWorkspaces, 'unitOfWork', 'clock', 'capabilityUrls'),
  showRelatedToRuns: bind(ShowRelatedToRuns, 'unitOfWork', 'clock', 'capabilityUrls'),
  showRelatedToRunTasks: bind(ShowRelatedToRunTasks, 'unitOfWork'),
  showRelatedToRunTriggers: bind(ShowRelatedToRunTriggers, 'unitOfWork'),
  showOrganizationsOfUsers: bind(ShowOrganizationsOfUsers, 'unitOfWork'),
  showRelatedToProjects: bind(ShowRelatedToProjects, 'unitOfWork'),
  showRelatedToTeams: bind(ShowRelatedToTeams, 'unitOfWork'),
  showRelatedToPolicySets: bind(ShowRelatedToPolicySets, 'unitOfWork'),
  showWorkspacesOfAgentPools: bind(ShowWorkspacesOfAgentPools, 'unitOfWork'),
  listOrganizationRuns: bind(ListOrganizationRuns, 'unitOfWork', 'clock'),
  showAttention: bind(ShowAttention, 'unitOfWork', 'clock'),
  listQueuedRuns: bind(ListQueuedRuns, 'unitOfWork'),
  listRunEvents: bind(ListRunEvents, 'unitOfWork'),
  showRunEvent: bind(ShowRunEvent, 'unitOfWork'),
  showRunComment: bind(ShowRunComment, 'unitOfWork'),
  addRunComment: bind(AddRunComment, 'unitOfWork', 'clock', 'ids'),
  showRunCapacity: bind(ShowRunCapacity, 'unitOfWork'),
  showRun: bind(ShowRun, 'unitOfWork'),
  changeRun: bind(ChangeRun, 'unitOfWork', 'clock', runProgress),
  showRunConfigurationVersion: bind(ShowRunConfigurationVersion, 'unitOfWork'),
  showRunPhase: bind(ShowRunPhase, 'unitOfWork', 'clock', 'capabilityUrls'),
  readRunLog: bind(ReadRunLog, 'unitOfWork', 'clock', 'capabilityUrls'),
  readPlanJson: bind(ReadPlanJson, 'unitOfWork', 'bundleStore'),

  createStateVersion: bind(
    CreateStateVersion,
    'unitOfWork',
    'clock',
    'ids',
    'capabilityUrls',
    'bundleInspector',
    uploads,
  ),
  uploadStateVersion: bind(UploadStateVersion, 'unitOfWork', uploads, 'bundleInspector'),
  rollBackState: bind(
    RollBackState,
    'unitOfWork',
    'clock',
    'ids',
    'capabilityUrls',
    'bundleInspector',
    'bundleStore',
    uploads,
  ),
  listStateVersions: bind(ListStateVersions, 'unitOfWork', 'clock', 'capabilityUrls'),
  readSharedStates: bind(ReadSharedStates, 'unitOfWork', 'clock', 'capabilityUrls'),
  showStateVersion: bind(ShowStateVersion, 'unitOfWork', 'clock', 'capabilityUrls'),
  listStateOutputs: bind(ListStateOutputs, 'unitOfWork'),
  listCurrentOutputs: bind(ListCurrentOutputs, 'unitOfWork'),
  showStateOutput: bind(ShowStateOutput, 'unitOfWork', 'secretBox'),

  createPolicy: bind(CreatePolicy, 'unitOfWork', 'clock', 'ids'),
  listPolicies: bind(ListPolicies, 'unitOfWork'),
  showPolicy: bind(ShowPolicy, 'unitOfWork'),
  updatePolicy: bind(UpdatePolicy, 'unitOfWork', 'clock'),
  uploadPolicyCode: bind(UploadPolicyCode, 'unitOfWork', 'clock', byteQuota),
  readPolicyCode: bind(ReadPolicyCode, 'unitOfWork'),
  removePolicy: bind(RemovePolicy, 'unitOfWork'),
  readRunPolicy: bind(ReadRunPolicy, 'unitOfWork', 'secrets'),

  createPolicySet: bind(CreatePolicySet, 'unitOfWork', 'clock', 'ids', repositoryLinks, fetchedPolicies),
  listPolicySets: bind(ListPolicySets, 'unitOfWork'),
  showPolicySet: bind(ShowPolicySet, 'unitOfWork'),
  updatePolicySet: bind(UpdatePolicySet, 'unitOfWork', 'clock', repositoryLinks, fetchedPolicies),
  attachPolicySet: bind(AttachPolicySet, 'unitOfWork', 'clock'),
  changePoliciesOfSet: bind(ChangePoliciesOfSet, 'unitOfWork', 'clock'),
  changeTagSelectors: bind(ChangeTagSelectors, 'unitOfWork', 'clock'),
  removePolicySet: bind(RemovePolicySet, 'unitOfWork', 'clock'),

  createPolicySetVersion: bind(CreatePolicySetVersion, 'unitOfWork', 'clock', 'ids', 'capabilityUrls', byteQuota),
  showPolicySetVersion: bind(ShowPolicySetVersion, 'unitOfWork', 'clock', 'capabilityUrls'),
  uploadPolicySetVersion: bind(UploadPolicySetVersion, 'unitOfWork', 'clock', uploads, 'bundleInspector', byteQuota),
  readRunPolicyArchive: bind(ReadRunPolicyArchive, 'unitOfWork', 'secrets', 'bundleStore'),
  discardPolicyArchives: bind(DiscardPolicyArchives, 'unitOfWork', 'clock'),

  createPolicySetParameter: bind(CreatePolicySetParameter, 'unitOfWork', 'clock', 'ids', 'secretBox'),
  listPolicySetParameters: bind(ListPolicySetParameters, 'unitOfWork', 'secretBox'),
  showPolicySetParameter: bind(ShowPolicySetParameter, 'unitOfWork', 'secretBox'),
  updatePolicySetParameter: bind(UpdatePolicySetParameter, 'unitOfWork', 'secretBox'),
  removePolicySetParameter: bind(RemovePolicySetParameter, 'unitOfWork'),

  createRunTask: bind(CreateRunTask, 'unitOfWork', 'clock', 'ids', 'secretBox'),
  listRunTasks: bind(ListRunTasks, 'unitOfWork'),
  showRunTask: bind(ShowRunTask, 'unitOfWork'),
  updateRunTask: bind(UpdateRunTask, 'unitOfWork', 'secretBox'),
  removeRunTask: bind(RemoveRunTask, 'unitOfWork', 'clock'),
  addWorkspaceTask: bind(AddWorkspaceTask, 'unitOfWork', 'clock', 'ids'),
  listWorkspaceTasks: bind(ListWorkspaceTasks, 'unitOfWork'),
  showWorkspaceTask: bind(ShowWorkspaceTask, 'unitOfWork'),
  updateWorkspaceTask: bind(UpdateWorkspaceTask, 'unitOfWork'),
  removeWorkspaceTask: bind(RemoveWorkspaceTask, 'unitOfWork', 'clock'),
  showTaskResult: bind(ShowTaskResult, 'unitOfWork'),
  listTaskResultOutcomes: bind(ListTaskResultOutcomes, 'unitOfWork'),
  checkTaskResultToken: bind(CheckTaskResultToken, 'unitOfWork', 'secrets'),
  reportTaskResult: bind(ReportTaskResult, 'unitOfWork', 'clock', 'secrets', taskResultProgress),
  readTaskFiles: bind(ReadTaskFiles, 'unitOfWork', 'secrets', 'bundleStore'),
  endOverdueResults: bind(EndOverdueResults, 'unitOfWork', 'clock', taskResultProgress),

  createRunTrigger: bind(CreateRunTrigger, 'unitOfWork', 'clock', 'ids'),
  listRunTriggers: bind(ListRunTriggers, 'unitOfWork'),
  showRunTrigger: bind(ShowRunTrigger, 'unitOfWork'),
  removeRunTrigger: bind(RemoveRunTrigger, 'unitOfWork'),

  createNotificationConfiguration: bind(
    CreateNotificationConfiguration,
    'unitOfWork',
    'clock',
    'ids',
    'secretBox',
    deliveries,
  ),
  listNotificationConfigurations: bind(ListNotificationConfigurations, 'unitOfWork'),
  showNotificationConfiguration: bind(ShowNotificationConfiguration, 'unitOfWork'),
  updateNotificationConfiguration: bind(
    UpdateNotificationConfiguration,
    'unitOfWork',
    'clock',
    'secretBox',
    deliveries,
  ),
  removeNotificationConfiguration: bind(RemoveNotificationConfiguration, 'unitOfWork'),
  verifyNotificationConfiguration: bind(VerifyNotificationConfiguration, 'unitOfWork', deliveries),

  createAgentPool: bind(CreateAgentPool, 'unitOfWork', 'clock', 'ids'),
  createSiteAgentPool: bind(CreateSiteAgentPool, 'unitOfWork', 'clock', 'ids'),
  listAgentPools: bind(ListAgentPools, 'unitOfWork'),
  listSiteAgentPools: bind(ListSiteAgentPools, 'unitOfWork'),
  showAgentPool: bind(ShowAgentPool, 'unitOfWork'),
  updateAgentPool: bind(UpdateAgentPool, 'unitOfWork'),
  removeAgentPool: bind(RemoveAgentPool, 'unitOfWork'),
  issueAgentToken: bind(IssueAgentToken, 'unitOfWork', 'clock', 'ids', 'secrets'),
  listAgentTokens: bind(ListAgentTokens, 'unitOfWork'),

  authenticateAgent: bind(AuthenticateAgent, 'unitOfWork', 'clock', 'secrets', tokenUses),
  lookForWork: bind(LookForWork, 'unitOfWork', 'clock'),
  claimPolicyTrial: bind(ClaimPolicyTrial, 'unitOfWork', 'clock', 'secrets'),
  evaluatePolicyTrial: bind(EvaluatePolicyTrial, 'unitOfWork', 'clock', 'secrets', 'bundleStore'),
  claimRun: bind(ClaimRun, 'unitOfWork', 'clock', 'secrets', 'secretBox', runProgress, 'capabilityUrls'),
  renewLease: bind(RenewLease, 'unitOfWork', 'clock', 'secrets'),
  checkLease: bind(CheckLease, 'unitOfWork', 'secrets'),
  readRunFiles: bind(ReadRunFiles, 'unitOfWork', 'secrets', 'bundleStore'),
  readRunState: bind(ReadRunState, 'unitOfWork', 'secrets', 'bundleStore'),
  announceState: bind(AnnounceState, 'unitOfWork', 'clock', 'ids', 'secrets', 'secretBox'),
  uploadState: bind(UploadState, 'unitOfWork', 'secrets', uploads, 'bundleInspector'),
  storeRunArtifact: bind(StoreRunArtifact, 'unitOfWork', 'secrets', uploads, 'bundleInspector'),
  readPlanFile: bind(ReadPlanFile, 'unitOfWork', 'secrets', 'bundleStore'),
  appendRunLog: bind(AppendRunLog, 'unitOfWork', 'secrets'),
  reportPhase: bind(ReportPhase, 'unitOfWork', 'secrets', runProgress),
  reportPolicyEvaluation: bind(ReportPolicyEvaluation, 'unitOfWork', 'clock', 'ids', 'secrets', runProgress),
  reclaimLostRuns: bind(ReclaimLostRuns, 'unitOfWork', 'clock', runProgress),

  fetchCommit: bind(FetchCommit, 'unitOfWork', fetchedVersions, byteQuota),
  receiveWebhook: bind(ReceiveWebhook, 'unitOfWork', webhookKeys, fetchedVersions, fetchedPolicies),

  changeFeed,
  followWorkspace: bind(FollowWorkspace, 'unitOfWork', changeFeed),
  followOrganization: bind(FollowOrganization, 'unitOfWork', changeFeed),

  listAuditEvents: bind(ListAuditEvents, 'unitOfWork'),
  listAuditTrails: bind(ListAuditTrails, 'unitOfWork'),
  listSiteAuditEvents: bind(ListSiteAuditEvents, 'unitOfWork'),
  refusals,
  forgetAuditEvents: bind(ForgetAuditEvents, 'unitOfWork', 'clock', 'settings'),

  performEffects: bind(PerformEffects, 'unitOfWork', 'clock', effectPerformers),
  listFailingEffects: bind(ListFailingEffects, 'unitOfWork'),
  listRemovals: bind(ListRemovals, 'unitOfWork'),
  retryEffect: bind(RetryEffect, 'unitOfWork'),
  sweepBundles: bind(SweepBundles, 'unitOfWork', 'bundleStore'),
  ...housekeeping,
};

export type UseCases = Bound<typeof useCases>;
