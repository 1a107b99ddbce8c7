import { type MadeBy, made } from './assembly.js';
import { ApplyDataRetention } from './background/apply-data-retention.js';
import { CreateScheduledDestroys } from './background/create-scheduled-destroys.js';
import { housekeeping } from './background/housekeeping.js';
import { ListFailingEffects } from './background/list-failing-effects.js';
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
import { ShowRelatedToPolicySets } from './included/show-related-to-policy-sets.js';
import { ShowRelatedToRuns } from './included/show-related-to-runs.js';
import { ShowRelatedToTeams } from './included/show-related-to-teams.js';
import { ShowRelatedToVariableSets } from './included/show-related-to-variable-sets.js';
import { ShowRelatedToWorkspaces } from './included/show-related-to-workspaces.js';
import { ShowWorkspacesOfAgentPools } from './included/show-workspaces-of-agent-pools.js';
import { ListPolicyEvaluations } from './policy-outcomes/list-policy-evaluations.js';
import { ListPolicySetOutcomes } from './policy-outcomes/list-policy-set-outcomes.js';
import { ListTaskStages } from './policy-outcomes/list-task-stages.js';
import { OverrideTaskStage } from './policy-outcomes/override-task-stage.js';
import { ShowPolicyEvaluation } from './policy-outcomes/show-policy-evaluation.js';
import { ShowPolicySetOutcome } from './policy-outcomes/show-policy-set-outcome.js';
import { ShowTaskStage } from './policy-outcomes/show-task-stage.js';
import {
  archiveOldVersions,
  byteQuota,
  changeFeed,
  effectPerformers,
  fetchedPolicies,
  fetchedVersions,
  groupMemberships,
  identityLinks,
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
import { ClaimRun } from './supporting/agents/claim-run.js';
import { AskLease } from './supporting/agents/lease-holder.js';
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
import { AskTaskResult, ReportTaskResult } from './supporting/run-tasks/report-task-result.js';
import { ShowRunTask } from './supporting/run-tasks/show-run-task.js';
import { ShowTaskResult } from './supporting/run-tasks/show-task-result.js';
import { ShowWorkspaceTask } from './supporting/run-tasks/show-workspace-task.js';
import { UpdateRunTask } from './supporting/run-tasks/update-run-task.js';
import { UpdateWorkspaceTask } from './supporting/run-tasks/update-workspace-task.js';
import { AddRunComment } from './supporting/runs/add-run-comment.js';
import { ChangeRun } from './supporting/runs/change-run.js';
import { CreateRun } from './supporting/runs/create-run.js';
import { ListQueuedRuns } from './supporting/runs/list-queued-runs.js';
import { ListOrganizationRuns, ListRuns } from './supporting/runs/list-runs.js';
import { ReadPlanJson } from './supporting/runs/read-plan-json.js';
import { ReadRunLog } from './supporting/runs/read-run-log.js';
import { ShowRun } from './supporting/runs/show-run.js';
import { ShowRunCapacity } from './supporting/runs/show-run-capacity.js';
import { ShowRunConfigurationVersion } from './supporting/runs/show-run-configuration-version.js';
import { ShowRunPhase } from './supporting/runs/show-run-phase.js';
import { AuthenticateSession } from './supporting/sign-in/authenticate-session.js';
import { BeginSignIn } from './supporting/sign-in/begin-sign-in.js';
import { CompleteSignIn } from './supporting/sign-in/complete-sign-in.js';
import { EndSession } from './supporting/sign-in/end-session.js';
import { EndAllSessions, EndOneSession, ListSessions } from './supporting/sign-in/own-sessions.js';
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
import { ListProjectAccess } from './team-access/list-project-access.js';
import { ListTeamAccess } from './team-access/list-team-access.js';
import { ListWholeTeamAccess } from './team-access/list-whole-team-access.js';
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
  createConfigurationVersion: made(
    CreateConfigurationVersion,
    'unitOfWork',
    'clock',
    'ids',
    'capabilityUrls',
    byteQuota,
  ),
  listConfigurationVersions: made(ListConfigurationVersions, 'unitOfWork'),
  showConfigurationVersion: made(ShowConfigurationVersion, 'unitOfWork'),
  showIngressAttributes: made(ShowIngressAttributes, 'unitOfWork'),
  archiveConfigurationVersion: made(ArchiveConfigurationVersion, 'unitOfWork', 'clock'),
  locateBundle: made(LocateBundle, 'unitOfWork', 'clock', 'capabilityUrls', 'bundleStore'),
  readBundle: made(ReadBundle, 'unitOfWork', 'clock', 'capabilityUrls', 'bundleStore'),
  uploadConfigurationBundle: made(
    UploadConfigurationBundle,
    'unitOfWork',
    'clock',
    uploads,
    'bundleInspector',
    byteQuota,
  ),
  changeBackingData: made(ChangeBackingData, 'unitOfWork', 'clock', 'settings'),
  archiveOldVersions,

  addTeamAccess: made(AddTeamAccess, 'unitOfWork', 'ids'),
  listTeamAccess: made(ListTeamAccess, 'unitOfWork'),
  listWholeTeamAccess: made(ListWholeTeamAccess, 'unitOfWork'),
  showTeamAccess: made(ShowTeamAccess, 'unitOfWork'),
  updateTeamAccess: made(UpdateTeamAccess, 'unitOfWork'),
  removeTeamAccess: made(RemoveTeamAccess, 'unitOfWork'),
  showEffectiveAccess: made(ShowEffectiveAccess, 'unitOfWork'),

  addProjectAccess: made(AddProjectAccess, 'unitOfWork', 'ids'),
  listProjectAccess: made(ListProjectAccess, 'unitOfWork'),
  showProjectAccess: made(ShowProjectAccess, 'unitOfWork'),
  updateProjectAccess: made(UpdateProjectAccess, 'unitOfWork'),
  removeProjectAccess: made(RemoveProjectAccess, 'unitOfWork'),

  issueTeamToken: made(IssueTeamToken, 'unitOfWork', tokenIssuer),
  listTeamTokens: made(ListTeamTokens, 'unitOfWork', 'clock'),
  showTeamToken: made(ShowTeamToken, 'unitOfWork'),
  revokeTeamToken: made(RevokeTeamToken, 'unitOfWork'),

  listTaskStages: made(ListTaskStages, 'unitOfWork'),
  showTaskStage: made(ShowTaskStage, 'unitOfWork'),
  overrideTaskStage: made(OverrideTaskStage, 'unitOfWork', 'clock', runProgress),
  listPolicyEvaluations: made(ListPolicyEvaluations, 'unitOfWork'),
  showPolicyEvaluation: made(ShowPolicyEvaluation, 'unitOfWork'),
  listPolicySetOutcomes: made(ListPolicySetOutcomes, 'unitOfWork'),
  showPolicySetOutcome: made(ShowPolicySetOutcome, 'unitOfWork'),

  createOrganization: made(CreateOrganization, 'unitOfWork', 'clock', 'ids', 'identityProvider'),
  listOrganizations: made(ListOrganizations, 'unitOfWork'),
  showOrganization: made(ShowOrganization, 'unitOfWork'),
  updateOrganization: made(UpdateOrganization, 'unitOfWork', 'identityProvider'),
  removeOrganization: made(RemoveOrganization, 'unitOfWork', 'clock'),
  showOrganizationGroups: made(ShowOrganizationGroups, 'unitOfWork'),
  giveOrganizationGroups: made(GiveOrganizationGroups, 'unitOfWork', groupMemberships),
  issueOrganizationToken: made(IssueOrganizationToken, 'unitOfWork', tokenIssuer),
  showOrganizationToken: made(ShowOrganizationToken, 'unitOfWork'),
  revokeOrganizationToken: made(RevokeOrganizationToken, 'unitOfWork'),
  listTokenLifetimes: made(ListTokenLifetimes, 'unitOfWork'),
  changeTokenLifetimes: made(ChangeTokenLifetimes, 'unitOfWork', 'clock'),
  addOrganizationMembership: made(AddOrganizationMembership, 'unitOfWork', 'clock', 'ids'),
  listOrganizationMemberships: made(ListOrganizationMemberships, 'unitOfWork'),
  showOrganizationMembership: made(ShowOrganizationMembership, 'unitOfWork'),
  removeOrganizationMembership: made(RemoveOrganizationMembership, 'unitOfWork'),

  createTeam: made(CreateTeam, 'unitOfWork', 'clock', 'ids'),
  listTeams: made(ListTeams, 'unitOfWork'),
  showTeam: made(ShowTeam, 'unitOfWork'),
  updateTeam: made(UpdateTeam, 'unitOfWork'),
  removeTeam: made(RemoveTeam, 'unitOfWork', 'clock'),
  changeTeamMembers: made(ChangeTeamMembers, 'unitOfWork'),

  tokenUses,
  authenticate: made(Authenticate, 'unitOfWork', 'clock', 'secrets', tokenUses),
  authenticateSession: made(AuthenticateSession, 'unitOfWork', 'clock', 'secrets', tokenUses),
  beginSignIn: made(BeginSignIn, pendingSignIns),
  identityLinks,
  completeSignIn: made(
    CompleteSignIn,
    'unitOfWork',
    pendingSignIns,
    'identityProvider',
    identityLinks,
    groupMemberships,
    'clock',
    'ids',
    'secrets',
    'settings',
  ),
  listSessions: made(ListSessions, 'unitOfWork', 'clock'),
  endOneSession: made(EndOneSession, 'unitOfWork'),
  endAllSessions: made(EndAllSessions, 'unitOfWork'),
  endSession: made(EndSession, 'unitOfWork', 'secrets'),
  issueLoginCode: made(IssueLoginCode, 'unitOfWork', 'clock', 'secrets'),
  redeemLoginCode: made(RedeemLoginCode, 'unitOfWork', 'clock', 'secrets', tokenIssuer, 'settings'),
  addIdentity: made(AddIdentity, 'unitOfWork', 'clock', 'ids'),
  listIdentities: made(ListIdentities, 'unitOfWork'),
  removeIdentity: made(RemoveIdentity, 'unitOfWork', 'clock', groupMemberships),
  createUser: made(CreateUser, 'unitOfWork', 'clock', 'ids', tokenIssuer),
  listUsers: made(ListUsers, 'unitOfWork'),
  changeUserSuspension: made(ChangeUserSuspension, 'unitOfWork'),
  removeUser: made(RemoveUser, 'unitOfWork', 'clock'),
  showAccount: made(ShowAccount, 'unitOfWork'),
  issueUserToken: made(IssueUserToken, 'unitOfWork', 'clock', tokenIssuer, 'settings'),
  listUserTokens: made(ListUserTokens, 'unitOfWork'),
  showToken: made(ShowToken, 'unitOfWork'),
  revokeToken: made(RevokeToken, 'unitOfWork'),

  createWorkspace: made(CreateWorkspace, 'unitOfWork', 'clock', 'ids', repositoryLinks, tagChanges),
  listWorkspaces: made(ListWorkspaces, 'unitOfWork'),
  showWorkspace: made(ShowWorkspace, 'unitOfWork'),
  updateWorkspace: made(UpdateWorkspace, 'unitOfWork', 'clock', repositoryLinks, tagChanges),
  removeWorkspace: made(RemoveWorkspace, 'unitOfWork', 'clock'),
  listStateConsumers: made(ListStateConsumers, 'unitOfWork'),
  changeStateConsumers: made(ChangeStateConsumers, 'unitOfWork'),
  showDataRetention: made(ShowDataRetention, 'unitOfWork'),
  setDataRetention: made(SetDataRetention, 'unitOfWork', 'clock', 'ids'),
  removeDataRetention: made(RemoveDataRetention, 'unitOfWork', 'clock'),
  applyDataRetention: made(ApplyDataRetention, 'unitOfWork', 'clock', archiveOldVersions),
  changeWorkspaceLock: made(ChangeWorkspaceLock, 'unitOfWork', 'clock', runProgress),

  createProject: made(CreateProject, 'unitOfWork', 'clock', 'ids', tagChanges),
  listProjects: made(ListProjects, 'unitOfWork'),
  showProject: made(ShowProject, 'unitOfWork'),
  updateProject: made(UpdateProject, 'unitOfWork', 'clock', tagChanges),
  removeProject: made(RemoveProject, 'unitOfWork'),
  moveWorkspaces: made(MoveWorkspaces, 'unitOfWork', 'clock'),

  listTags: made(ListTags, 'unitOfWork'),
  listWorkspaceTags: made(ListWorkspaceTags, 'unitOfWork'),
  changeWorkspaceTags: made(ChangeWorkspaceTags, 'unitOfWork', tagChanges),
  tagWorkspaces: made(TagWorkspaces, 'unitOfWork', tagChanges),
  removeTags: made(RemoveTags, 'unitOfWork'),
  listTagBindings: made(ListTagBindings, 'unitOfWork'),
  listEffectiveTagBindings: made(ListEffectiveTagBindings, 'unitOfWork'),
  bindTags: made(BindTags, 'unitOfWork', tagChanges),

  createVariable: made(CreateVariable, 'unitOfWork', 'clock', 'ids', 'secretBox'),
  listVariables: made(ListVariables, 'unitOfWork', 'secretBox'),
  showVariable: made(ShowVariable, 'unitOfWork', 'secretBox'),
  updateVariable: made(UpdateVariable, 'unitOfWork', 'secretBox'),
  removeVariable: made(RemoveVariable, 'unitOfWork'),
  listAllVariables: made(ListAllVariables, 'unitOfWork', 'secretBox'),

  createVariableSet: made(CreateVariableSet, 'unitOfWork', 'clock', 'ids', newVariables),
  listVariableSets: made(ListVariableSets, 'unitOfWork'),
  listWorkspaceVariableSets: made(ListWorkspaceVariableSets, 'unitOfWork'),
  listProjectVariableSets: made(ListProjectVariableSets, 'unitOfWork'),
  showVariableSet: made(ShowVariableSet, 'unitOfWork'),
  showRelatedToVariableSets: made(ShowRelatedToVariableSets, 'unitOfWork', 'secretBox'),
  updateVariableSet: made(UpdateVariableSet, 'unitOfWork', 'clock', newVariables),
  attachVariableSet: made(AttachVariableSet, 'unitOfWork', 'clock'),
  removeVariableSet: made(RemoveVariableSet, 'unitOfWork'),
  createSetVariable: made(CreateSetVariable, 'unitOfWork', 'secretBox', newVariables),
  listSetVariables: made(ListSetVariables, 'unitOfWork', 'secretBox'),
  showSetVariable: made(ShowSetVariable, 'unitOfWork', 'secretBox'),
  updateSetVariable: made(UpdateSetVariable, 'unitOfWork', 'secretBox'),
  removeSetVariable: made(RemoveSetVariable, 'unitOfWork'),

  createRun: made(CreateRun, 'unitOfWork', runProgress, byteQuota),
  createScheduledDestroys: made(CreateScheduledDestroys, 'unitOfWork', 'clock', runProgress, byteQuota),
  listRuns: made(ListRuns, 'unitOfWork', 'clock'),
  showRelatedToWorkspaces: made(ShowRelatedToWorkspaces, 'unitOfWork', 'clock', 'capabilityUrls'),
  showRelatedToRuns: made(ShowRelatedToRuns, 'unitOfWork', 'clock', 'capabilityUrls'),
  showRelatedToTeams: made(ShowRelatedToTeams, 'unitOfWork'),
  showRelatedToPolicySets: made(ShowRelatedToPolicySets, 'unitOfWork'),
  showWorkspacesOfAgentPools: made(ShowWorkspacesOfAgentPools, 'unitOfWork'),
  listOrganizationRuns: made(ListOrganizationRuns, 'unitOfWork', 'clock'),
  listQueuedRuns: made(ListQueuedRuns, 'unitOfWork'),
  listRunEvents: made(ListRunEvents, 'unitOfWork'),
  showRunEvent: made(ShowRunEvent, 'unitOfWork'),
  showRunComment: made(ShowRunComment, 'unitOfWork'),
  addRunComment: made(AddRunComment, 'unitOfWork', 'clock', 'ids'),
  showRunCapacity: made(ShowRunCapacity, 'unitOfWork'),
  showRun: made(ShowRun, 'unitOfWork'),
  changeRun: made(ChangeRun, 'unitOfWork', 'clock', runProgress),
  showRunConfigurationVersion: made(ShowRunConfigurationVersion, 'unitOfWork'),
  showRunPhase: made(ShowRunPhase, 'unitOfWork', 'clock', 'capabilityUrls'),
  readRunLog: made(ReadRunLog, 'unitOfWork', 'clock', 'capabilityUrls'),
  readPlanJson: made(ReadPlanJson, 'unitOfWork', 'bundleStore'),

  createStateVersion: made(
    CreateStateVersion,
    'unitOfWork',
    'clock',
    'ids',
    'capabilityUrls',
    'bundleInspector',
    uploads,
  ),
  uploadStateVersion: made(UploadStateVersion, 'unitOfWork', uploads, 'bundleInspector'),
  rollBackState: made(
    RollBackState,
    'unitOfWork',
    'clock',
    'ids',
    'capabilityUrls',
    'bundleInspector',
    'bundleStore',
    uploads,
  ),
  listStateVersions: made(ListStateVersions, 'unitOfWork', 'clock', 'capabilityUrls'),
  readSharedStates: made(ReadSharedStates, 'unitOfWork', 'clock', 'capabilityUrls'),
  showStateVersion: made(ShowStateVersion, 'unitOfWork', 'clock', 'capabilityUrls'),
  listStateOutputs: made(ListStateOutputs, 'unitOfWork'),
  listCurrentOutputs: made(ListCurrentOutputs, 'unitOfWork'),
  showStateOutput: made(ShowStateOutput, 'unitOfWork', 'secretBox'),

  createPolicy: made(CreatePolicy, 'unitOfWork', 'clock', 'ids'),
  listPolicies: made(ListPolicies, 'unitOfWork'),
  showPolicy: made(ShowPolicy, 'unitOfWork'),
  updatePolicy: made(UpdatePolicy, 'unitOfWork', 'clock'),
  uploadPolicyCode: made(UploadPolicyCode, 'unitOfWork', 'clock', byteQuota),
  readPolicyCode: made(ReadPolicyCode, 'unitOfWork'),
  removePolicy: made(RemovePolicy, 'unitOfWork'),
  readRunPolicy: made(ReadRunPolicy, 'unitOfWork', 'secrets'),

  createPolicySet: made(CreatePolicySet, 'unitOfWork', 'clock', 'ids', repositoryLinks, fetchedPolicies),
  listPolicySets: made(ListPolicySets, 'unitOfWork'),
  showPolicySet: made(ShowPolicySet, 'unitOfWork'),
  updatePolicySet: made(UpdatePolicySet, 'unitOfWork', 'clock', repositoryLinks, fetchedPolicies),
  attachPolicySet: made(AttachPolicySet, 'unitOfWork', 'clock'),
  changePoliciesOfSet: made(ChangePoliciesOfSet, 'unitOfWork', 'clock'),
  removePolicySet: made(RemovePolicySet, 'unitOfWork', 'clock'),

  createPolicySetVersion: made(CreatePolicySetVersion, 'unitOfWork', 'clock', 'ids', 'capabilityUrls', byteQuota),
  showPolicySetVersion: made(ShowPolicySetVersion, 'unitOfWork'),
  uploadPolicySetVersion: made(UploadPolicySetVersion, 'unitOfWork', 'clock', uploads, 'bundleInspector', byteQuota),
  readRunPolicyArchive: made(ReadRunPolicyArchive, 'unitOfWork', 'secrets', 'bundleStore'),
  discardPolicyArchives: made(DiscardPolicyArchives, 'unitOfWork', 'clock'),

  createPolicySetParameter: made(CreatePolicySetParameter, 'unitOfWork', 'clock', 'ids', 'secretBox'),
  listPolicySetParameters: made(ListPolicySetParameters, 'unitOfWork', 'secretBox'),
  showPolicySetParameter: made(ShowPolicySetParameter, 'unitOfWork', 'secretBox'),
  updatePolicySetParameter: made(UpdatePolicySetParameter, 'unitOfWork', 'secretBox'),
  removePolicySetParameter: made(RemovePolicySetParameter, 'unitOfWork'),

  createRunTask: made(CreateRunTask, 'unitOfWork', 'clock', 'ids', 'secretBox'),
  listRunTasks: made(ListRunTasks, 'unitOfWork'),
  showRunTask: made(ShowRunTask, 'unitOfWork'),
  updateRunTask: made(UpdateRunTask, 'unitOfWork', 'secretBox'),
  removeRunTask: made(RemoveRunTask, 'unitOfWork', 'clock'),
  addWorkspaceTask: made(AddWorkspaceTask, 'unitOfWork', 'clock', 'ids'),
  listWorkspaceTasks: made(ListWorkspaceTasks, 'unitOfWork'),
  showWorkspaceTask: made(ShowWorkspaceTask, 'unitOfWork'),
  updateWorkspaceTask: made(UpdateWorkspaceTask, 'unitOfWork'),
  removeWorkspaceTask: made(RemoveWorkspaceTask, 'unitOfWork', 'clock'),
  showTaskResult: made(ShowTaskResult, 'unitOfWork'),
  listTaskResultOutcomes: made(ListTaskResultOutcomes, 'unitOfWork'),
  askTaskResult: made(AskTaskResult, 'unitOfWork', 'secrets'),
  reportTaskResult: made(ReportTaskResult, 'unitOfWork', 'clock', 'secrets', taskResultProgress),
  readTaskFiles: made(ReadTaskFiles, 'unitOfWork', 'secrets', 'bundleStore'),
  endOverdueResults: made(EndOverdueResults, 'unitOfWork', 'clock', taskResultProgress),

  createAgentPool: made(CreateAgentPool, 'unitOfWork', 'clock', 'ids'),
  createSiteAgentPool: made(CreateSiteAgentPool, 'unitOfWork', 'clock', 'ids'),
  listAgentPools: made(ListAgentPools, 'unitOfWork'),
  listSiteAgentPools: made(ListSiteAgentPools, 'unitOfWork'),
  showAgentPool: made(ShowAgentPool, 'unitOfWork'),
  updateAgentPool: made(UpdateAgentPool, 'unitOfWork'),
  removeAgentPool: made(RemoveAgentPool, 'unitOfWork'),
  issueAgentToken: made(IssueAgentToken, 'unitOfWork', 'clock', 'ids', 'secrets'),
  listAgentTokens: made(ListAgentTokens, 'unitOfWork'),

  authenticateAgent: made(AuthenticateAgent, 'unitOfWork', 'clock', 'secrets', tokenUses),
  claimRun: made(ClaimRun, 'unitOfWork', 'clock', 'secrets', 'secretBox', runProgress, 'capabilityUrls'),
  renewLease: made(RenewLease, 'unitOfWork', 'clock', 'secrets'),
  askLease: made(AskLease, 'unitOfWork', 'secrets'),
  readRunFiles: made(ReadRunFiles, 'unitOfWork', 'secrets', 'bundleStore'),
  readRunState: made(ReadRunState, 'unitOfWork', 'secrets', 'bundleStore'),
  announceState: made(AnnounceState, 'unitOfWork', 'clock', 'ids', 'secrets', 'secretBox'),
  uploadState: made(UploadState, 'unitOfWork', 'secrets', uploads, 'bundleInspector'),
  storeRunArtifact: made(StoreRunArtifact, 'unitOfWork', 'secrets', uploads, 'bundleInspector'),
  readPlanFile: made(ReadPlanFile, 'unitOfWork', 'secrets', 'bundleStore'),
  appendRunLog: made(AppendRunLog, 'unitOfWork', 'secrets'),
  reportPhase: made(ReportPhase, 'unitOfWork', 'secrets', runProgress),
  reportPolicyEvaluation: made(ReportPolicyEvaluation, 'unitOfWork', 'clock', 'ids', 'secrets', runProgress),
  reclaimLostRuns: made(ReclaimLostRuns, 'unitOfWork', 'clock', runProgress),

  fetchCommit: made(FetchCommit, 'unitOfWork', fetchedVersions, byteQuota),
  receiveWebhook: made(ReceiveWebhook, 'unitOfWork', webhookKeys, fetchedVersions, fetchedPolicies),

  changeFeed,
  followWorkspace: made(FollowWorkspace, 'unitOfWork', changeFeed),
  followOrganization: made(FollowOrganization, 'unitOfWork', changeFeed),

  listAuditEvents: made(ListAuditEvents, 'unitOfWork'),
  listAuditTrails: made(ListAuditTrails, 'unitOfWork'),
  listSiteAuditEvents: made(ListSiteAuditEvents, 'unitOfWork'),
  refusals,
  forgetAuditEvents: made(ForgetAuditEvents, 'unitOfWork', 'clock', 'settings'),

  performEffects: made(PerformEffects, 'unitOfWork', 'clock', effectPerformers),
  listFailingEffects: made(ListFailingEffects, 'unitOfWork'),
  retryEffect: made(RetryEffect, 'unitOfWork'),
  sweepBundles: made(SweepBundles, 'unitOfWork', 'bundleStore'),
  ...housekeeping,
};

export type UseCases = MadeBy<typeof useCases>;
