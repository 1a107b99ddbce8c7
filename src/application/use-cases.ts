import { type MadeBy, made } from './assembly.js';
import { EffectPerformers } from './background/effect-performers.js';
import { ExchangeRequestRates } from './background/exchange-request-rates.js';
import { ListFailingEffects } from './background/list-failing-effects.js';
import { PerformEffects } from './background/perform-effects.js';
import { RemoveLeftovers } from './background/remove-leftovers.js';
import { StoredSecrets } from './background/stored-secrets.js';
import { TakeStock } from './background/take-stock.js';
import { ArchiveConfigurationVersion } from './configuration-versions/archive-configuration-version.js';
import { ArchiveOldVersions } from './configuration-versions/archive-old-versions.js';
import { ChangeBackingData } from './configuration-versions/change-backing-data.js';
import { CreateConfigurationVersion } from './configuration-versions/create-configuration-version.js';
import { ListConfigurationVersions } from './configuration-versions/list-configuration-versions.js';
import { ShowConfigurationVersion } from './configuration-versions/show-configuration-version.js';
import { ShowIngressAttributes } from './configuration-versions/show-ingress-attributes.js';
import { UploadConfigurationBundle } from './configuration-versions/upload-configuration-bundle.js';
import { ByteQuota } from './files/byte-quota.js';
import { LocateBundle } from './files/locate-bundle.js';
import { ReadBundle } from './files/read-bundle.js';
import { SweepBundles } from './files/sweep-bundles.js';
import { ListPolicyEvaluations } from './policy-outcomes/list-policy-evaluations.js';
import { ListPolicySetOutcomes } from './policy-outcomes/list-policy-set-outcomes.js';
import { ListTaskStages } from './policy-outcomes/list-task-stages.js';
import { OverrideTaskStage } from './policy-outcomes/override-task-stage.js';
import { ShowPolicyEvaluation } from './policy-outcomes/show-policy-evaluation.js';
import { ShowPolicySetOutcome } from './policy-outcomes/show-policy-set-outcome.js';
import { ShowTaskStage } from './policy-outcomes/show-task-stage.js';
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
import { ReadRunState } from './supporting/agents/read-run-state.js';
import { ReclaimLostRuns } from './supporting/agents/reclaim-lost-runs.js';
import { RenewLease } from './supporting/agents/renew-lease.js';
import { ReportPhase } from './supporting/agents/report-phase.js';
import { ReportPolicyEvaluation } from './supporting/agents/report-policy-evaluation.js';
import { StoreRunArtifact } from './supporting/agents/store-run-artifact.js';
import { UploadState } from './supporting/agents/upload-state.js';
import { ForgetAuditEvents } from './supporting/audit/forget-audit-events.js';
import { ListAuditEvents, ListAuditTrails, ListSiteAuditEvents } from './supporting/audit/list-audit-events.js';
import { Refusals } from './supporting/audit/refusals.js';
import { AddOrganizationMembership } from './supporting/organizations/add-organization-membership.js';
import { CreateOrganization } from './supporting/organizations/create-organization.js';
import { ListOrganizationMemberships } from './supporting/organizations/list-organization-memberships.js';
import { ListOrganizations } from './supporting/organizations/list-organizations.js';
import { RemoveOrganization } from './supporting/organizations/remove-organization.js';
import { RemoveOrganizationMembership } from './supporting/organizations/remove-organization-membership.js';
import { ShowOrganization } from './supporting/organizations/show-organization.js';
import { ShowOrganizationMembership } from './supporting/organizations/show-organization-membership.js';
import { UpdateOrganization } from './supporting/organizations/update-organization.js';
import { CreatePolicy } from './supporting/policies/create-policy.js';
import { ListPolicies } from './supporting/policies/list-policies.js';
import { ReadPolicyCode } from './supporting/policies/read-policy-code.js';
import { ReadRunPolicy } from './supporting/policies/read-run-policy.js';
import { RemovePolicy } from './supporting/policies/remove-policy.js';
import { ShowPolicy } from './supporting/policies/show-policy.js';
import { UpdatePolicy } from './supporting/policies/update-policy.js';
import { UploadPolicyCode } from './supporting/policies/upload-policy-code.js';
import { AttachPolicySet } from './supporting/policy-sets/attach-policy-set.js';
import { ChangePoliciesOfSet } from './supporting/policy-sets/change-policies-of-set.js';
import { CreatePolicySet } from './supporting/policy-sets/create-policy-set.js';
import { ListPolicySets } from './supporting/policy-sets/list-policy-sets.js';
import { RemovePolicySet } from './supporting/policy-sets/remove-policy-set.js';
import { ShowPolicySet } from './supporting/policy-sets/show-policy-set.js';
import { UpdatePolicySet } from './supporting/policy-sets/update-policy-set.js';
import { ChangeRun } from './supporting/runs/change-run.js';
import { CreateRun } from './supporting/runs/create-run.js';
import { ListQueuedRuns } from './supporting/runs/list-queued-runs.js';
import { ListRunEvents } from './supporting/runs/list-run-events.js';
import { ListRuns } from './supporting/runs/list-runs.js';
import { ReadPlanJson } from './supporting/runs/read-plan-json.js';
import { ReadRunLog } from './supporting/runs/read-run-log.js';
import { RunProgress } from './supporting/runs/run-progress.js';
import { ShowRun } from './supporting/runs/show-run.js';
import { ShowRunCapacity } from './supporting/runs/show-run-capacity.js';
import { ShowRunConfigurationVersion } from './supporting/runs/show-run-configuration-version.js';
import { ShowRunPhase } from './supporting/runs/show-run-phase.js';
import { CreateStateVersion } from './supporting/state-versions/create-state-version.js';
import { ListCurrentOutputs, ListStateOutputs } from './supporting/state-versions/list-state-outputs.js';
import { ListStateVersions } from './supporting/state-versions/list-state-versions.js';
import { RollBackState } from './supporting/state-versions/roll-back-state.js';
import { ShowStateOutput } from './supporting/state-versions/show-state-output.js';
import { ShowStateVersion } from './supporting/state-versions/show-state-version.js';
import { StateOutputsReader } from './supporting/state-versions/state-outputs-reader.js';
import { UploadStateVersion } from './supporting/state-versions/upload-state-version.js';
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
import { TokenUses } from './supporting/users/token-uses.js';
import { CreateVariable } from './supporting/variables/create-variable.js';
import { ListVariables } from './supporting/variables/list-variables.js';
import { RemoveVariable } from './supporting/variables/remove-variable.js';
import { ShowVariable } from './supporting/variables/show-variable.js';
import { UpdateVariable } from './supporting/variables/update-variable.js';
import { CommitFiles } from './supporting/version-control/commit-files.js';
import { FetchCommit } from './supporting/version-control/fetch-commit.js';
import { FetchedVersions } from './supporting/version-control/fetched-version.js';
import { ReceiveWebhook } from './supporting/version-control/receive-webhook.js';
import { ChangeWorkspaceLock } from './supporting/workspaces/change-workspace-lock.js';
import { CreateWorkspace } from './supporting/workspaces/create-workspace.js';
import { RepositoryLinks } from './supporting/workspaces/link-repository.js';
import { ListWorkspaces } from './supporting/workspaces/list-workspaces.js';
import { RemoveWorkspace } from './supporting/workspaces/remove-workspace.js';
import { ShowWorkspace } from './supporting/workspaces/show-workspace.js';
import { UpdateWorkspace } from './supporting/workspaces/update-workspace.js';
import { AddTeamAccess } from './team-access/add-team-access.js';
import { ListTeamAccess } from './team-access/list-team-access.js';
import { ListWholeTeamAccess } from './team-access/list-whole-team-access.js';
import { RemoveTeamAccess } from './team-access/remove-team-access.js';
import { ShowTeamAccess } from './team-access/show-team-access.js';
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
import { TokenIssuer } from './tokens/token-issuer.js';

// What several use cases share: made once for all of them.
const tokenUses = made(TokenUses, 'unitOfWork');
const tokenIssuer = made(TokenIssuer, 'clock', 'ids', 'secrets');
const byteQuota = made(ByteQuota, 'settings');
const runProgress = made(RunProgress, 'clock', 'ids');
const repositoryLinks = made(RepositoryLinks, 'ids', 'secrets', 'secretBox');
const fetchedVersions = made(FetchedVersions, 'clock', 'ids');
const commitFiles = made(CommitFiles, 'ids', 'commitFetcher', 'bundleInspector', 'bundleStore');
const stateOutputsReader = made(StateOutputsReader, 'unitOfWork', 'ids', 'secretBox', 'bundleStore');
const effectPerformers = made(
  EffectPerformers,
  'unitOfWork',
  'clock',
  'ids',
  'bundleStore',
  runProgress,
  commitFiles,
  byteQuota,
  stateOutputsReader,
);

/** Every use case, and what it is made from. */
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
    'ids',
    'capabilityUrls',
    'bundleInspector',
    'bundleStore',
    byteQuota,
  ),
  changeBackingData: made(ChangeBackingData, 'unitOfWork', 'clock', 'settings'),
  archiveOldVersions: made(ArchiveOldVersions, 'unitOfWork', 'clock', 'settings'),

  addTeamAccess: made(AddTeamAccess, 'unitOfWork', 'ids'),
  listTeamAccess: made(ListTeamAccess, 'unitOfWork'),
  listWholeTeamAccess: made(ListWholeTeamAccess, 'unitOfWork'),
  showTeamAccess: made(ShowTeamAccess, 'unitOfWork'),
  updateTeamAccess: made(UpdateTeamAccess, 'unitOfWork'),
  removeTeamAccess: made(RemoveTeamAccess, 'unitOfWork'),

  issueTeamToken: made(IssueTeamToken, 'unitOfWork', tokenIssuer),
  listTeamTokens: made(ListTeamTokens, 'unitOfWork'),
  showTeamToken: made(ShowTeamToken, 'unitOfWork'),
  revokeTeamToken: made(RevokeTeamToken, 'unitOfWork'),

  listTaskStages: made(ListTaskStages, 'unitOfWork'),
  showTaskStage: made(ShowTaskStage, 'unitOfWork'),
  overrideTaskStage: made(OverrideTaskStage, 'unitOfWork', 'clock', runProgress),
  listPolicyEvaluations: made(ListPolicyEvaluations, 'unitOfWork'),
  showPolicyEvaluation: made(ShowPolicyEvaluation, 'unitOfWork'),
  listPolicySetOutcomes: made(ListPolicySetOutcomes, 'unitOfWork'),
  showPolicySetOutcome: made(ShowPolicySetOutcome, 'unitOfWork'),

  createOrganization: made(CreateOrganization, 'unitOfWork', 'clock', 'ids'),
  listOrganizations: made(ListOrganizations, 'unitOfWork'),
  showOrganization: made(ShowOrganization, 'unitOfWork'),
  updateOrganization: made(UpdateOrganization, 'unitOfWork'),
  removeOrganization: made(RemoveOrganization, 'unitOfWork', 'clock'),
  issueOrganizationToken: made(IssueOrganizationToken, 'unitOfWork', tokenIssuer),
  showOrganizationToken: made(ShowOrganizationToken, 'unitOfWork'),
  revokeOrganizationToken: made(RevokeOrganizationToken, 'unitOfWork'),
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
  createUser: made(CreateUser, 'unitOfWork', 'clock', 'ids', tokenIssuer),
  listUsers: made(ListUsers, 'unitOfWork'),
  changeUserSuspension: made(ChangeUserSuspension, 'unitOfWork'),
  removeUser: made(RemoveUser, 'unitOfWork', 'clock'),
  showAccount: made(ShowAccount, 'unitOfWork'),
  issueUserToken: made(IssueUserToken, 'unitOfWork', tokenIssuer, 'settings'),
  listUserTokens: made(ListUserTokens, 'unitOfWork'),
  showToken: made(ShowToken, 'unitOfWork'),
  revokeToken: made(RevokeToken, 'unitOfWork'),

  createWorkspace: made(CreateWorkspace, 'unitOfWork', 'clock', 'ids', repositoryLinks),
  listWorkspaces: made(ListWorkspaces, 'unitOfWork'),
  showWorkspace: made(ShowWorkspace, 'unitOfWork'),
  updateWorkspace: made(UpdateWorkspace, 'unitOfWork', 'clock', repositoryLinks),
  removeWorkspace: made(RemoveWorkspace, 'unitOfWork', 'clock'),
  changeWorkspaceLock: made(ChangeWorkspaceLock, 'unitOfWork', 'clock', runProgress),

  createVariable: made(CreateVariable, 'unitOfWork', 'clock', 'ids', 'secretBox'),
  listVariables: made(ListVariables, 'unitOfWork', 'secretBox'),
  showVariable: made(ShowVariable, 'unitOfWork', 'secretBox'),
  updateVariable: made(UpdateVariable, 'unitOfWork', 'secretBox'),
  removeVariable: made(RemoveVariable, 'unitOfWork'),

  createRun: made(CreateRun, 'unitOfWork', runProgress, byteQuota),
  listRuns: made(ListRuns, 'unitOfWork'),
  listQueuedRuns: made(ListQueuedRuns, 'unitOfWork'),
  listRunEvents: made(ListRunEvents, 'unitOfWork'),
  showRunCapacity: made(ShowRunCapacity, 'unitOfWork'),
  showRun: made(ShowRun, 'unitOfWork'),
  changeRun: made(ChangeRun, 'unitOfWork', runProgress),
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
    'bundleStore',
  ),
  uploadStateVersion: made(
    UploadStateVersion,
    'unitOfWork',
    'clock',
    'ids',
    'capabilityUrls',
    'bundleInspector',
    'bundleStore',
  ),
  rollBackState: made(RollBackState, 'unitOfWork', 'clock', 'ids', 'capabilityUrls', 'bundleInspector', 'bundleStore'),
  listStateVersions: made(ListStateVersions, 'unitOfWork', 'clock', 'capabilityUrls'),
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

  createPolicySet: made(CreatePolicySet, 'unitOfWork', 'clock', 'ids'),
  listPolicySets: made(ListPolicySets, 'unitOfWork'),
  showPolicySet: made(ShowPolicySet, 'unitOfWork'),
  updatePolicySet: made(UpdatePolicySet, 'unitOfWork', 'clock'),
  attachPolicySet: made(AttachPolicySet, 'unitOfWork', 'clock'),
  changePoliciesOfSet: made(ChangePoliciesOfSet, 'unitOfWork', 'clock'),
  removePolicySet: made(RemovePolicySet, 'unitOfWork'),

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
  claimRun: made(ClaimRun, 'unitOfWork', 'clock', 'secrets', 'secretBox', runProgress),
  renewLease: made(RenewLease, 'unitOfWork', 'clock', 'secrets'),
  askLease: made(AskLease, 'unitOfWork', 'secrets'),
  readRunFiles: made(ReadRunFiles, 'unitOfWork', 'secrets', 'bundleStore'),
  readRunState: made(ReadRunState, 'unitOfWork', 'secrets', 'bundleStore'),
  announceState: made(AnnounceState, 'unitOfWork', 'clock', 'ids', 'secrets', 'secretBox'),
  uploadState: made(UploadState, 'unitOfWork', 'clock', 'ids', 'secrets', 'bundleInspector', 'bundleStore'),
  storeRunArtifact: made(StoreRunArtifact, 'unitOfWork', 'clock', 'ids', 'secrets', 'bundleInspector', 'bundleStore'),
  readPlanFile: made(ReadPlanFile, 'unitOfWork', 'secrets', 'bundleStore'),
  appendRunLog: made(AppendRunLog, 'unitOfWork', 'secrets'),
  reportPhase: made(ReportPhase, 'unitOfWork', 'secrets', runProgress),
  reportPolicyEvaluation: made(ReportPolicyEvaluation, 'unitOfWork', 'clock', 'ids', 'secrets', runProgress),
  reclaimLostRuns: made(ReclaimLostRuns, 'unitOfWork', 'clock', runProgress),

  fetchCommit: made(FetchCommit, 'unitOfWork', fetchedVersions, byteQuota),
  receiveWebhook: made(ReceiveWebhook, 'unitOfWork', 'clock', 'secrets', 'secretBox', fetchedVersions),

  listAuditEvents: made(ListAuditEvents, 'unitOfWork'),
  listAuditTrails: made(ListAuditTrails, 'unitOfWork'),
  listSiteAuditEvents: made(ListSiteAuditEvents, 'unitOfWork'),
  refusals: made(Refusals, 'unitOfWork', 'clock'),
  forgetAuditEvents: made(ForgetAuditEvents, 'unitOfWork', 'clock', 'settings'),

  performEffects: made(PerformEffects, 'unitOfWork', 'clock', effectPerformers),
  listFailingEffects: made(ListFailingEffects, 'unitOfWork'),
  sweepBundles: made(SweepBundles, 'unitOfWork', 'bundleStore'),
  removeLeftovers: made(RemoveLeftovers, 'unitOfWork', 'bundleStore'),

  storedSecrets: made(StoredSecrets, 'unitOfWork', 'clock', 'secretBox'),
  exchangeRequestRates: made(ExchangeRequestRates, 'unitOfWork', 'clock', 'ids'),
  takeStock: made(TakeStock, 'unitOfWork', 'clock'),
};

export type UseCases = MadeBy<typeof useCases>;
