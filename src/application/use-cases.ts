import { type MadeBy, made } from './assembly.js';
import { ExchangeRequestRates } from './background/exchange-request-rates.js';
import { RemoveLeftovers } from './background/remove-leftovers.js';
import { StoredSecrets } from './background/stored-secrets.js';
import { TakeStock } from './background/take-stock.js';
import * as published from './index.js';

// Objects shared by several use cases.
const tokenUses = made(published.TokenUses, 'unitOfWork');
const tokenIssuer = made(published.TokenIssuer, 'clock', 'ids', 'secrets');
const byteQuota = made(published.ByteQuota, 'settings');
const runProgress = made(published.RunProgress, 'clock', 'ids');
const repositoryLinks = made(published.RepositoryLinks, 'ids', 'secrets', 'secretBox');
const fetchedVersions = made(published.FetchedVersions, 'clock', 'ids');
const commitFiles = made(published.CommitFiles, 'ids', 'commitFetcher', 'bundleInspector', 'bundleStore');
const stateOutputsReader = made(published.StateOutputsReader, 'unitOfWork', 'ids', 'secretBox', 'bundleStore');
const effectPerformers = made(
  published.EffectPerformers,
  'unitOfWork',
  'clock',
  'ids',
  'bundleStore',
  runProgress,
  commitFiles,
  byteQuota,
  stateOutputsReader,
);

/** Every use case with its dependencies. */
export const useCases = {
  createConfigurationVersion: made(
    published.CreateConfigurationVersion,
    'unitOfWork',
    'clock',
    'ids',
    'capabilityUrls',
    byteQuota,
  ),
  listConfigurationVersions: made(published.ListConfigurationVersions, 'unitOfWork'),
  showConfigurationVersion: made(published.ShowConfigurationVersion, 'unitOfWork'),
  showIngressAttributes: made(published.ShowIngressAttributes, 'unitOfWork'),
  archiveConfigurationVersion: made(published.ArchiveConfigurationVersion, 'unitOfWork', 'clock'),
  locateBundle: made(published.LocateBundle, 'unitOfWork', 'clock', 'capabilityUrls', 'bundleStore'),
  readBundle: made(published.ReadBundle, 'unitOfWork', 'clock', 'capabilityUrls', 'bundleStore'),
  uploadConfigurationBundle: made(
    published.UploadConfigurationBundle,
    'unitOfWork',
    'clock',
    'ids',
    'capabilityUrls',
    'bundleInspector',
    'bundleStore',
    byteQuota,
  ),
  changeBackingData: made(published.ChangeBackingData, 'unitOfWork', 'clock', 'settings'),
  archiveOldVersions: made(published.ArchiveOldVersions, 'unitOfWork', 'clock', 'settings'),

  addTeamAccess: made(published.AddTeamAccess, 'unitOfWork', 'ids'),
  listTeamAccess: made(published.ListTeamAccess, 'unitOfWork'),
  listWholeTeamAccess: made(published.ListWholeTeamAccess, 'unitOfWork'),
  showTeamAccess: made(published.ShowTeamAccess, 'unitOfWork'),
  updateTeamAccess: made(published.UpdateTeamAccess, 'unitOfWork'),
  removeTeamAccess: made(published.RemoveTeamAccess, 'unitOfWork'),

  issueTeamToken: made(published.IssueTeamToken, 'unitOfWork', tokenIssuer),
  listTeamTokens: made(published.ListTeamTokens, 'unitOfWork'),
  showTeamToken: made(published.ShowTeamToken, 'unitOfWork'),
  revokeTeamToken: made(published.RevokeTeamToken, 'unitOfWork'),

  listTaskStages: made(published.ListTaskStages, 'unitOfWork'),
  showTaskStage: made(published.ShowTaskStage, 'unitOfWork'),
  overrideTaskStage: made(published.OverrideTaskStage, 'unitOfWork', 'clock', runProgress),
  listPolicyEvaluations: made(published.ListPolicyEvaluations, 'unitOfWork'),
  showPolicyEvaluation: made(published.ShowPolicyEvaluation, 'unitOfWork'),
  listPolicySetOutcomes: made(published.ListPolicySetOutcomes, 'unitOfWork'),
  showPolicySetOutcome: made(published.ShowPolicySetOutcome, 'unitOfWork'),

  createOrganization: made(published.CreateOrganization, 'unitOfWork', 'clock', 'ids'),
  listOrganizations: made(published.ListOrganizations, 'unitOfWork'),
  showOrganization: made(published.ShowOrganization, 'unitOfWork'),
  updateOrganization: made(published.UpdateOrganization, 'unitOfWork'),
  removeOrganization: made(published.RemoveOrganization, 'unitOfWork', 'clock'),
  issueOrganizationToken: made(published.IssueOrganizationToken, 'unitOfWork', tokenIssuer),
  showOrganizationToken: made(published.ShowOrganizationToken, 'unitOfWork'),
  revokeOrganizationToken: made(published.RevokeOrganizationToken, 'unitOfWork'),
  addOrganizationMembership: made(published.AddOrganizationMembership, 'unitOfWork', 'clock', 'ids'),
  listOrganizationMemberships: made(published.ListOrganizationMemberships, 'unitOfWork'),
  showOrganizationMembership: made(published.ShowOrganizationMembership, 'unitOfWork'),
  removeOrganizationMembership: made(published.RemoveOrganizationMembership, 'unitOfWork'),

  createTeam: made(published.CreateTeam, 'unitOfWork', 'clock', 'ids'),
  listTeams: made(published.ListTeams, 'unitOfWork'),
  showTeam: made(published.ShowTeam, 'unitOfWork'),
  updateTeam: made(published.UpdateTeam, 'unitOfWork'),
  removeTeam: made(published.RemoveTeam, 'unitOfWork', 'clock'),
  changeTeamMembers: made(published.ChangeTeamMembers, 'unitOfWork'),

  tokenUses,
  authenticate: made(published.Authenticate, 'unitOfWork', 'clock', 'secrets', tokenUses),
  createUser: made(published.CreateUser, 'unitOfWork', 'clock', 'ids', tokenIssuer),
  listUsers: made(published.ListUsers, 'unitOfWork'),
  changeUserSuspension: made(published.ChangeUserSuspension, 'unitOfWork'),
  removeUser: made(published.RemoveUser, 'unitOfWork', 'clock'),
  showAccount: made(published.ShowAccount, 'unitOfWork'),
  issueUserToken: made(published.IssueUserToken, 'unitOfWork', tokenIssuer, 'settings'),
  listUserTokens: made(published.ListUserTokens, 'unitOfWork'),
  showToken: made(published.ShowToken, 'unitOfWork'),
  revokeToken: made(published.RevokeToken, 'unitOfWork'),

  createWorkspace: made(published.CreateWorkspace, 'unitOfWork', 'clock', 'ids', repositoryLinks),
  listWorkspaces: made(published.ListWorkspaces, 'unitOfWork'),
  showWorkspace: made(published.ShowWorkspace, 'unitOfWork'),
  updateWorkspace: made(published.UpdateWorkspace, 'unitOfWork', 'clock', repositoryLinks),
  removeWorkspace: made(published.RemoveWorkspace, 'unitOfWork', 'clock'),
  listStateConsumers: made(published.ListStateConsumers, 'unitOfWork'),
  changeStateConsumers: made(published.ChangeStateConsumers, 'unitOfWork'),
  changeWorkspaceLock: made(published.ChangeWorkspaceLock, 'unitOfWork', 'clock', runProgress),

  createVariable: made(published.CreateVariable, 'unitOfWork', 'clock', 'ids', 'secretBox'),
  listVariables: made(published.ListVariables, 'unitOfWork', 'secretBox'),
  showVariable: made(published.ShowVariable, 'unitOfWork', 'secretBox'),
  updateVariable: made(published.UpdateVariable, 'unitOfWork', 'secretBox'),
  removeVariable: made(published.RemoveVariable, 'unitOfWork'),

  createRun: made(published.CreateRun, 'unitOfWork', runProgress, byteQuota),
  listRuns: made(published.ListRuns, 'unitOfWork'),
  listQueuedRuns: made(published.ListQueuedRuns, 'unitOfWork'),
  listRunEvents: made(published.ListRunEvents, 'unitOfWork'),
  showRunCapacity: made(published.ShowRunCapacity, 'unitOfWork'),
  showRun: made(published.ShowRun, 'unitOfWork'),
  changeRun: made(published.ChangeRun, 'unitOfWork', 'clock', runProgress),
  showRunConfigurationVersion: made(published.ShowRunConfigurationVersion, 'unitOfWork'),
  showRunPhase: made(published.ShowRunPhase, 'unitOfWork', 'clock', 'capabilityUrls'),
  readRunLog: made(published.ReadRunLog, 'unitOfWork', 'clock', 'capabilityUrls'),
  readPlanJson: made(published.ReadPlanJson, 'unitOfWork', 'bundleStore'),

  createStateVersion: made(
    published.CreateStateVersion,
    'unitOfWork',
    'clock',
    'ids',
    'capabilityUrls',
    'bundleInspector',
    'bundleStore',
  ),
  uploadStateVersion: made(
    published.UploadStateVersion,
    'unitOfWork',
    'clock',
    'ids',
    'capabilityUrls',
    'bundleInspector',
    'bundleStore',
  ),
  rollBackState: made(
    published.RollBackState,
    'unitOfWork',
    'clock',
    'ids',
    'capabilityUrls',
    'bundleInspector',
    'bundleStore',
  ),
  listStateVersions: made(published.ListStateVersions, 'unitOfWork', 'clock', 'capabilityUrls'),
  showStateVersion: made(published.ShowStateVersion, 'unitOfWork', 'clock', 'capabilityUrls'),
  listStateOutputs: made(published.ListStateOutputs, 'unitOfWork'),
  listCurrentOutputs: made(published.ListCurrentOutputs, 'unitOfWork'),
  showStateOutput: made(published.ShowStateOutput, 'unitOfWork', 'secretBox'),

  createPolicy: made(published.CreatePolicy, 'unitOfWork', 'clock', 'ids'),
  listPolicies: made(published.ListPolicies, 'unitOfWork'),
  showPolicy: made(published.ShowPolicy, 'unitOfWork'),
  updatePolicy: made(published.UpdatePolicy, 'unitOfWork', 'clock'),
  uploadPolicyCode: made(published.UploadPolicyCode, 'unitOfWork', 'clock', byteQuota),
  readPolicyCode: made(published.ReadPolicyCode, 'unitOfWork'),
  removePolicy: made(published.RemovePolicy, 'unitOfWork'),
  readRunPolicy: made(published.ReadRunPolicy, 'unitOfWork', 'secrets'),

  createPolicySet: made(published.CreatePolicySet, 'unitOfWork', 'clock', 'ids'),
  listPolicySets: made(published.ListPolicySets, 'unitOfWork'),
  showPolicySet: made(published.ShowPolicySet, 'unitOfWork'),
  updatePolicySet: made(published.UpdatePolicySet, 'unitOfWork', 'clock'),
  attachPolicySet: made(published.AttachPolicySet, 'unitOfWork', 'clock'),
  changePoliciesOfSet: made(published.ChangePoliciesOfSet, 'unitOfWork', 'clock'),
  removePolicySet: made(published.RemovePolicySet, 'unitOfWork'),

  createAgentPool: made(published.CreateAgentPool, 'unitOfWork', 'clock', 'ids'),
  createSiteAgentPool: made(published.CreateSiteAgentPool, 'unitOfWork', 'clock', 'ids'),
  listAgentPools: made(published.ListAgentPools, 'unitOfWork'),
  listSiteAgentPools: made(published.ListSiteAgentPools, 'unitOfWork'),
  showAgentPool: made(published.ShowAgentPool, 'unitOfWork'),
  updateAgentPool: made(published.UpdateAgentPool, 'unitOfWork'),
  removeAgentPool: made(published.RemoveAgentPool, 'unitOfWork'),
  issueAgentToken: made(published.IssueAgentToken, 'unitOfWork', 'clock', 'ids', 'secrets'),
  listAgentTokens: made(published.ListAgentTokens, 'unitOfWork'),

  authenticateAgent: made(published.AuthenticateAgent, 'unitOfWork', 'clock', 'secrets', tokenUses),
  claimRun: made(published.ClaimRun, 'unitOfWork', 'clock', 'secrets', 'secretBox', runProgress),
  renewLease: made(published.RenewLease, 'unitOfWork', 'clock', 'secrets'),
  askLease: made(published.AskLease, 'unitOfWork', 'secrets'),
  readRunFiles: made(published.ReadRunFiles, 'unitOfWork', 'secrets', 'bundleStore'),
  readRunState: made(published.ReadRunState, 'unitOfWork', 'secrets', 'bundleStore'),
  announceState: made(published.AnnounceState, 'unitOfWork', 'clock', 'ids', 'secrets', 'secretBox'),
  uploadState: made(published.UploadState, 'unitOfWork', 'clock', 'ids', 'secrets', 'bundleInspector', 'bundleStore'),
  storeRunArtifact: made(
    published.StoreRunArtifact,
    'unitOfWork',
    'clock',
    'ids',
    'secrets',
    'bundleInspector',
    'bundleStore',
  ),
  readPlanFile: made(published.ReadPlanFile, 'unitOfWork', 'secrets', 'bundleStore'),
  appendRunLog: made(published.AppendRunLog, 'unitOfWork', 'secrets'),
  reportPhase: made(published.ReportPhase, 'unitOfWork', 'secrets', runProgress),
  reportPolicyEvaluation: made(published.ReportPolicyEvaluation, 'unitOfWork', 'clock', 'ids', 'secrets', runProgress),
  reclaimLostRuns: made(published.ReclaimLostRuns, 'unitOfWork', 'clock', runProgress),

  fetchCommit: made(published.FetchCommit, 'unitOfWork', fetchedVersions, byteQuota),
  receiveWebhook: made(published.ReceiveWebhook, 'unitOfWork', 'clock', 'secrets', 'secretBox', fetchedVersions),

  listAuditEvents: made(published.ListAuditEvents, 'unitOfWork'),
  listAuditTrails: made(published.ListAuditTrails, 'unitOfWork'),
  listSiteAuditEvents: made(published.ListSiteAuditEvents, 'unitOfWork'),
  refusals: made(published.Refusals, 'unitOfWork', 'clock'),
  forgetAuditEvents: made(published.ForgetAuditEvents, 'unitOfWork', 'clock', 'settings'),

  performEffects: made(published.PerformEffects, 'unitOfWork', 'clock', effectPerformers),
  listFailingEffects: made(published.ListFailingEffects, 'unitOfWork'),
  sweepBundles: made(published.SweepBundles, 'unitOfWork', 'bundleStore'),
  removeLeftovers: made(RemoveLeftovers, 'unitOfWork', 'bundleStore'),

  storedSecrets: made(StoredSecrets, 'unitOfWork', 'clock', 'secretBox'),
  exchangeRequestRates: made(ExchangeRequestRates, 'unitOfWork', 'clock', 'ids'),
  takeStock: made(TakeStock, 'unitOfWork', 'clock'),
};

export type UseCases = MadeBy<typeof useCases>;
