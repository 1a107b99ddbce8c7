import { ContainerModule, type Newable } from 'inversify';
import type { UseCases } from '../../adapters/http/use-cases.js';
import * as application from '../../application/index.js';
import { provideClass } from './provide.js';
import { Port } from './tokens.js';

const {
  unitOfWork,
  clock,
  ids,
  secrets,
  capabilityUrls,
  bundleInspector,
  bundleStore,
  secretBox,
  commitFetcher,
  softDeleteDays,
  archiveAfterDays,
  auditDays,
  maxTokensPerUser,
  maxOrganizationBytes,
} = Port;

/** The use cases by the names the HTTP adapter calls them. */
export const useCasesByName = {
  authenticate: application.Authenticate,
  createOrganization: application.CreateOrganization,
  listOrganizations: application.ListOrganizations,
  showOrganization: application.ShowOrganization,
  updateOrganization: application.UpdateOrganization,
  removeOrganization: application.RemoveOrganization,
  issueOrganizationToken: application.IssueOrganizationToken,
  showOrganizationToken: application.ShowOrganizationToken,
  revokeOrganizationToken: application.RevokeOrganizationToken,
  addOrganizationMembership: application.AddOrganizationMembership,
  listOrganizationMemberships: application.ListOrganizationMemberships,
  showOrganizationMembership: application.ShowOrganizationMembership,
  removeOrganizationMembership: application.RemoveOrganizationMembership,
  createWorkspace: application.CreateWorkspace,
  listWorkspaces: application.ListWorkspaces,
  showWorkspace: application.ShowWorkspace,
  updateWorkspace: application.UpdateWorkspace,
  removeWorkspace: application.RemoveWorkspace,
  changeWorkspaceLock: application.ChangeWorkspaceLock,
  createVariable: application.CreateVariable,
  listVariables: application.ListVariables,
  showVariable: application.ShowVariable,
  updateVariable: application.UpdateVariable,
  removeVariable: application.RemoveVariable,
  createTeam: application.CreateTeam,
  listTeams: application.ListTeams,
  showTeam: application.ShowTeam,
  updateTeam: application.UpdateTeam,
  removeTeam: application.RemoveTeam,
  changeTeamMembers: application.ChangeTeamMembers,
  addTeamAccess: application.AddTeamAccess,
  listTeamAccess: application.ListTeamAccess,
  listWholeTeamAccess: application.ListWholeTeamAccess,
  showTeamAccess: application.ShowTeamAccess,
  updateTeamAccess: application.UpdateTeamAccess,
  removeTeamAccess: application.RemoveTeamAccess,
  issueTeamToken: application.IssueTeamToken,
  listTeamTokens: application.ListTeamTokens,
  showTeamToken: application.ShowTeamToken,
  revokeTeamToken: application.RevokeTeamToken,
  createUser: application.CreateUser,
  listUsers: application.ListUsers,
  changeUserSuspension: application.ChangeUserSuspension,
  removeUser: application.RemoveUser,
  showAccount: application.ShowAccount,
  issueUserToken: application.IssueUserToken,
  listUserTokens: application.ListUserTokens,
  showToken: application.ShowToken,
  revokeToken: application.RevokeToken,
  createConfigurationVersion: application.CreateConfigurationVersion,
  listConfigurationVersions: application.ListConfigurationVersions,
  showConfigurationVersion: application.ShowConfigurationVersion,
  showIngressAttributes: application.ShowIngressAttributes,
  archiveConfigurationVersion: application.ArchiveConfigurationVersion,
  locateBundle: application.LocateBundle,
  readBundle: application.ReadBundle,
  uploadConfigurationBundle: application.UploadConfigurationBundle,
  createRun: application.CreateRun,
  listRuns: application.ListRuns,
  listQueuedRuns: application.ListQueuedRuns,
  listRunEvents: application.ListRunEvents,
  showRunCapacity: application.ShowRunCapacity,
  showRun: application.ShowRun,
  changeRun: application.ChangeRun,
  showRunConfigurationVersion: application.ShowRunConfigurationVersion,
  showRunPhase: application.ShowRunPhase,
  readRunLog: application.ReadRunLog,
  readPlanJson: application.ReadPlanJson,
  listStateVersions: application.ListStateVersions,
  showStateVersion: application.ShowStateVersion,
  listStateOutputs: application.ListStateOutputs,
  listCurrentOutputs: application.ListCurrentOutputs,
  showStateOutput: application.ShowStateOutput,
  listTaskStages: application.ListTaskStages,
  showTaskStage: application.ShowTaskStage,
  overrideTaskStage: application.OverrideTaskStage,
  listPolicyEvaluations: application.ListPolicyEvaluations,
  showPolicyEvaluation: application.ShowPolicyEvaluation,
  listPolicySetOutcomes: application.ListPolicySetOutcomes,
  showPolicySetOutcome: application.ShowPolicySetOutcome,
  createPolicySet: application.CreatePolicySet,
  listPolicySets: application.ListPolicySets,
  showPolicySet: application.ShowPolicySet,
  updatePolicySet: application.UpdatePolicySet,
  attachPolicySet: application.AttachPolicySet,
  changePoliciesOfSet: application.ChangePoliciesOfSet,
  removePolicySet: application.RemovePolicySet,
  createPolicy: application.CreatePolicy,
  listPolicies: application.ListPolicies,
  showPolicy: application.ShowPolicy,
  updatePolicy: application.UpdatePolicy,
  uploadPolicyCode: application.UploadPolicyCode,
  readPolicyCode: application.ReadPolicyCode,
  removePolicy: application.RemovePolicy,
  createAgentPool: application.CreateAgentPool,
  createSiteAgentPool: application.CreateSiteAgentPool,
  listAgentPools: application.ListAgentPools,
  listSiteAgentPools: application.ListSiteAgentPools,
  showAgentPool: application.ShowAgentPool,
  updateAgentPool: application.UpdateAgentPool,
  removeAgentPool: application.RemoveAgentPool,
  issueAgentToken: application.IssueAgentToken,
  listAgentTokens: application.ListAgentTokens,
  authenticateAgent: application.AuthenticateAgent,
  claimRun: application.ClaimRun,
  renewLease: application.RenewLease,
  askLease: application.AskLease,
  readRunFiles: application.ReadRunFiles,
  readRunState: application.ReadRunState,
  announceState: application.AnnounceState,
  uploadState: application.UploadState,
  storeRunArtifact: application.StoreRunArtifact,
  readPlanFile: application.ReadPlanFile,
  readRunPolicy: application.ReadRunPolicy,
  appendRunLog: application.AppendRunLog,
  reportPhase: application.ReportPhase,
  reportPolicyEvaluation: application.ReportPolicyEvaluation,
  fetchCommit: application.FetchCommit,
  receiveWebhook: application.ReceiveWebhook,
  changeBackingData: application.ChangeBackingData,
  listFailingEffects: application.ListFailingEffects,
  listAuditEvents: application.ListAuditEvents,
  listAuditTrails: application.ListAuditTrails,
  listSiteAuditEvents: application.ListSiteAuditEvents,
  refusals: application.Refusals,
} as const satisfies { readonly [Name in keyof UseCases]: Newable<UseCases[Name]> };

export const useCases = new ContainerModule(({ bind }) => {
  provideClass(bind, application.TokenUses, [unitOfWork]);
  provideClass(bind, application.TokenIssuer, [clock, ids, secrets]);
  provideClass(bind, application.Authenticate, [unitOfWork, clock, secrets, application.TokenUses]);

  provideClass(bind, application.CreateOrganization, [unitOfWork, clock, ids]);
  provideClass(bind, application.ListOrganizations, [unitOfWork]);
  provideClass(bind, application.ShowOrganization, [unitOfWork]);
  provideClass(bind, application.UpdateOrganization, [unitOfWork]);
  provideClass(bind, application.RemoveOrganization, [unitOfWork, clock]);
  provideClass(bind, application.IssueOrganizationToken, [unitOfWork, application.TokenIssuer]);
  provideClass(bind, application.ShowOrganizationToken, [unitOfWork]);
  provideClass(bind, application.RevokeOrganizationToken, [unitOfWork]);
  provideClass(bind, application.AddOrganizationMembership, [unitOfWork, clock, ids]);
  provideClass(bind, application.ListOrganizationMemberships, [unitOfWork]);
  provideClass(bind, application.ShowOrganizationMembership, [unitOfWork]);
  provideClass(bind, application.RemoveOrganizationMembership, [unitOfWork]);

  provideClass(bind, application.RepositoryLinks, [ids, secrets, secretBox]);
  provideClass(bind, application.CreateWorkspace, [unitOfWork, clock, ids, application.RepositoryLinks]);
  provideClass(bind, application.ListWorkspaces, [unitOfWork]);
  provideClass(bind, application.ShowWorkspace, [unitOfWork]);
  provideClass(bind, application.UpdateWorkspace, [unitOfWork, clock, application.RepositoryLinks]);
  provideClass(bind, application.RemoveWorkspace, [unitOfWork, clock]);
  provideClass(bind, application.ChangeWorkspaceLock, [unitOfWork, clock, application.RunProgress]);

  provideClass(bind, application.CreateVariable, [unitOfWork, clock, ids, secretBox]);
  provideClass(bind, application.ListVariables, [unitOfWork, secretBox]);
  provideClass(bind, application.ShowVariable, [unitOfWork, secretBox]);
  provideClass(bind, application.UpdateVariable, [unitOfWork, secretBox]);
  provideClass(bind, application.RemoveVariable, [unitOfWork]);
  provideClass(bind, application.CreateTeam, [unitOfWork, clock, ids]);
  provideClass(bind, application.ListTeams, [unitOfWork]);
  provideClass(bind, application.ShowTeam, [unitOfWork]);
  provideClass(bind, application.UpdateTeam, [unitOfWork]);
  provideClass(bind, application.RemoveTeam, [unitOfWork, clock]);
  provideClass(bind, application.ChangeTeamMembers, [unitOfWork]);

  provideClass(bind, application.AddTeamAccess, [unitOfWork, ids]);
  provideClass(bind, application.ListTeamAccess, [unitOfWork]);
  provideClass(bind, application.ListWholeTeamAccess, [unitOfWork]);
  provideClass(bind, application.ShowTeamAccess, [unitOfWork]);
  provideClass(bind, application.UpdateTeamAccess, [unitOfWork]);
  provideClass(bind, application.RemoveTeamAccess, [unitOfWork]);

  provideClass(bind, application.IssueTeamToken, [unitOfWork, application.TokenIssuer]);
  provideClass(bind, application.ListTeamTokens, [unitOfWork]);
  provideClass(bind, application.ShowTeamToken, [unitOfWork]);
  provideClass(bind, application.RevokeTeamToken, [unitOfWork]);

  provideClass(bind, application.CreateUser, [unitOfWork, clock, ids, application.TokenIssuer]);
  provideClass(bind, application.ListUsers, [unitOfWork]);
  provideClass(bind, application.ChangeUserSuspension, [unitOfWork]);
  provideClass(bind, application.RemoveUser, [unitOfWork, clock]);
  provideClass(bind, application.ShowAccount, [unitOfWork]);
  provideClass(bind, application.IssueUserToken, [unitOfWork, application.TokenIssuer, maxTokensPerUser]);
  provideClass(bind, application.ListUserTokens, [unitOfWork]);
  provideClass(bind, application.ShowToken, [unitOfWork]);
  provideClass(bind, application.RevokeToken, [unitOfWork]);

  provideClass(bind, application.ByteQuota, [maxOrganizationBytes]);
  provideClass(bind, application.CreateConfigurationVersion, [
    unitOfWork,
    clock,
    ids,
    capabilityUrls,
    application.ByteQuota,
  ]);
  provideClass(bind, application.ListConfigurationVersions, [unitOfWork]);
  provideClass(bind, application.ShowConfigurationVersion, [unitOfWork]);
  provideClass(bind, application.ShowIngressAttributes, [unitOfWork]);
  provideClass(bind, application.ArchiveConfigurationVersion, [unitOfWork, clock]);
  provideClass(bind, application.LocateBundle, [unitOfWork, clock, capabilityUrls, bundleStore]);
  provideClass(bind, application.ReadBundle, [unitOfWork, clock, capabilityUrls, bundleStore]);
  provideClass(bind, application.UploadConfigurationBundle, [
    unitOfWork,
    clock,
    ids,
    capabilityUrls,
    bundleInspector,
    bundleStore,
    application.ByteQuota,
  ]);

  provideClass(bind, application.ChangeBackingData, [unitOfWork, clock, softDeleteDays]);

  provideClass(bind, application.RunProgress, [clock, ids]);
  provideClass(bind, application.CreateRun, [unitOfWork, application.RunProgress, application.ByteQuota]);
  provideClass(bind, application.ListRuns, [unitOfWork]);
  provideClass(bind, application.ListQueuedRuns, [unitOfWork]);
  provideClass(bind, application.ListRunEvents, [unitOfWork]);
  provideClass(bind, application.ShowRunCapacity, [unitOfWork]);
  provideClass(bind, application.ShowRun, [unitOfWork]);
  provideClass(bind, application.ChangeRun, [unitOfWork, application.RunProgress]);
  provideClass(bind, application.ShowRunConfigurationVersion, [unitOfWork]);
  provideClass(bind, application.ShowRunPhase, [unitOfWork, clock, capabilityUrls]);
  provideClass(bind, application.ReadRunLog, [unitOfWork, clock, capabilityUrls]);
  provideClass(bind, application.ReadPlanJson, [unitOfWork, bundleStore]);

  provideClass(bind, application.ListStateVersions, [unitOfWork, clock, capabilityUrls]);
  provideClass(bind, application.ShowStateVersion, [unitOfWork, clock, capabilityUrls]);
  provideClass(bind, application.ListStateOutputs, [unitOfWork]);
  provideClass(bind, application.ListCurrentOutputs, [unitOfWork]);
  provideClass(bind, application.ShowStateOutput, [unitOfWork, secretBox]);

  provideClass(bind, application.ListTaskStages, [unitOfWork]);
  provideClass(bind, application.ShowTaskStage, [unitOfWork]);
  provideClass(bind, application.OverrideTaskStage, [unitOfWork, clock, application.RunProgress]);
  provideClass(bind, application.ListPolicyEvaluations, [unitOfWork]);
  provideClass(bind, application.ShowPolicyEvaluation, [unitOfWork]);
  provideClass(bind, application.ListPolicySetOutcomes, [unitOfWork]);
  provideClass(bind, application.ShowPolicySetOutcome, [unitOfWork]);

  provideClass(bind, application.CreatePolicySet, [unitOfWork, clock, ids]);
  provideClass(bind, application.ListPolicySets, [unitOfWork]);
  provideClass(bind, application.ShowPolicySet, [unitOfWork]);
  provideClass(bind, application.UpdatePolicySet, [unitOfWork, clock]);
  provideClass(bind, application.AttachPolicySet, [unitOfWork, clock]);
  provideClass(bind, application.ChangePoliciesOfSet, [unitOfWork, clock]);
  provideClass(bind, application.RemovePolicySet, [unitOfWork]);

  provideClass(bind, application.CreatePolicy, [unitOfWork, clock, ids]);
  provideClass(bind, application.ListPolicies, [unitOfWork]);
  provideClass(bind, application.ShowPolicy, [unitOfWork]);
  provideClass(bind, application.UpdatePolicy, [unitOfWork, clock]);
  provideClass(bind, application.UploadPolicyCode, [unitOfWork, clock, application.ByteQuota]);
  provideClass(bind, application.ReadPolicyCode, [unitOfWork]);
  provideClass(bind, application.RemovePolicy, [unitOfWork]);

  provideClass(bind, application.CreateAgentPool, [unitOfWork, clock, ids]);
  provideClass(bind, application.CreateSiteAgentPool, [unitOfWork, clock, ids]);
  provideClass(bind, application.ListAgentPools, [unitOfWork]);
  provideClass(bind, application.ListSiteAgentPools, [unitOfWork]);
  provideClass(bind, application.ShowAgentPool, [unitOfWork]);
  provideClass(bind, application.UpdateAgentPool, [unitOfWork]);
  provideClass(bind, application.RemoveAgentPool, [unitOfWork]);
  provideClass(bind, application.IssueAgentToken, [unitOfWork, clock, ids, secrets]);
  provideClass(bind, application.ListAgentTokens, [unitOfWork]);
  provideClass(bind, application.AuthenticateAgent, [unitOfWork, clock, secrets, application.TokenUses]);
  provideClass(bind, application.ClaimRun, [unitOfWork, clock, secrets, secretBox, application.RunProgress]);
  provideClass(bind, application.RenewLease, [unitOfWork, clock, secrets]);
  provideClass(bind, application.AskLease, [unitOfWork, secrets]);
  provideClass(bind, application.ReadRunFiles, [unitOfWork, secrets, bundleStore]);
  provideClass(bind, application.ReadRunState, [unitOfWork, secrets, bundleStore]);
  provideClass(bind, application.AnnounceState, [unitOfWork, clock, ids, secrets, secretBox]);
  const storing = [unitOfWork, clock, ids, secrets, bundleInspector, bundleStore] as const;
  provideClass(bind, application.UploadState, storing);
  provideClass(bind, application.StoreRunArtifact, storing);
  provideClass(bind, application.ReadPlanFile, [unitOfWork, secrets, bundleStore]);
  provideClass(bind, application.ReadRunPolicy, [unitOfWork, secrets]);
  provideClass(bind, application.AppendRunLog, [unitOfWork, secrets]);
  provideClass(bind, application.ReportPhase, [unitOfWork, secrets, application.RunProgress]);
  provideClass(bind, application.ReportPolicyEvaluation, [unitOfWork, clock, ids, secrets, application.RunProgress]);
  provideClass(bind, application.ReclaimLostRuns, [unitOfWork, clock, application.RunProgress]);

  provideClass(bind, application.FetchedVersions, [clock, ids]);
  provideClass(bind, application.FetchCommit, [unitOfWork, application.FetchedVersions, application.ByteQuota]);
  provideClass(bind, application.ReceiveWebhook, [unitOfWork, clock, secrets, secretBox, application.FetchedVersions]);
  provideClass(bind, application.CommitFiles, [ids, commitFetcher, bundleInspector, bundleStore]);

  provideClass(bind, application.EffectPerformers, [
    unitOfWork,
    clock,
    ids,
    bundleStore,
    application.RunProgress,
    application.CommitFiles,
    application.ByteQuota,
  ]);
  provideClass(bind, application.PerformEffects, [unitOfWork, clock, application.EffectPerformers]);
  provideClass(bind, application.ListFailingEffects, [unitOfWork]);
  provideClass(bind, application.StoredSecrets, [unitOfWork, clock, secretBox]);
  provideClass(bind, application.ExchangeRequestRates, [unitOfWork, clock, ids]);
  provideClass(bind, application.TakeStock, [unitOfWork, clock]);
  provideClass(bind, application.SweepBundles, [unitOfWork, bundleStore]);
  provideClass(bind, application.RemoveLeftovers, [unitOfWork, bundleStore]);
  provideClass(bind, application.ArchiveOldVersions, [unitOfWork, clock, archiveAfterDays]);
  provideClass(bind, application.ListAuditEvents, [unitOfWork]);
  provideClass(bind, application.ListAuditTrails, [unitOfWork]);
  provideClass(bind, application.ListSiteAuditEvents, [unitOfWork]);
  provideClass(bind, application.Refusals, [unitOfWork, clock]);
  provideClass(bind, application.ForgetAuditEvents, [unitOfWork, clock, auditDays]);

  bind(Port.useCases).toDynamicValue(
    (context) =>
      Object.fromEntries(
        Object.entries(useCasesByName).map(([name, UseCase]) => [name, context.get(UseCase as Newable<unknown>)]),
      ) as unknown as UseCases,
  );
});
