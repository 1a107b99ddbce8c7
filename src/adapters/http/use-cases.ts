import type * as application from '../../application/index.js';

/** Every use case the API calls, by name. */
export interface UseCases {
  readonly authenticate: application.Authenticate;

  readonly createOrganization: application.CreateOrganization;
  readonly listOrganizations: application.ListOrganizations;
  readonly showOrganization: application.ShowOrganization;
  readonly updateOrganization: application.UpdateOrganization;
  readonly removeOrganization: application.RemoveOrganization;
  readonly issueOrganizationToken: application.IssueOrganizationToken;
  readonly showOrganizationToken: application.ShowOrganizationToken;
  readonly revokeOrganizationToken: application.RevokeOrganizationToken;
  readonly addOrganizationMembership: application.AddOrganizationMembership;
  readonly listOrganizationMemberships: application.ListOrganizationMemberships;
  readonly showOrganizationMembership: application.ShowOrganizationMembership;
  readonly removeOrganizationMembership: application.RemoveOrganizationMembership;

  readonly createWorkspace: application.CreateWorkspace;
  readonly listWorkspaces: application.ListWorkspaces;
  readonly showWorkspace: application.ShowWorkspace;
  readonly updateWorkspace: application.UpdateWorkspace;
  readonly removeWorkspace: application.RemoveWorkspace;
  readonly changeWorkspaceLock: application.ChangeWorkspaceLock;

  readonly createVariable: application.CreateVariable;
  readonly listVariables: application.ListVariables;
  readonly showVariable: application.ShowVariable;
  readonly updateVariable: application.UpdateVariable;
  readonly removeVariable: application.RemoveVariable;

  readonly createTeam: application.CreateTeam;
  readonly listTeams: application.ListTeams;
  readonly showTeam: application.ShowTeam;
  readonly updateTeam: application.UpdateTeam;
  readonly removeTeam: application.RemoveTeam;
  readonly changeTeamMembers: application.ChangeTeamMembers;

  readonly addTeamAccess: application.AddTeamAccess;
  readonly listTeamAccess: application.ListTeamAccess;
  readonly listWholeTeamAccess: application.ListWholeTeamAccess;
  readonly showTeamAccess: application.ShowTeamAccess;
  readonly updateTeamAccess: application.UpdateTeamAccess;
  readonly removeTeamAccess: application.RemoveTeamAccess;

  readonly issueTeamToken: application.IssueTeamToken;
  readonly listTeamTokens: application.ListTeamTokens;
  readonly showTeamToken: application.ShowTeamToken;
  readonly revokeTeamToken: application.RevokeTeamToken;

  readonly createUser: application.CreateUser;
  readonly listUsers: application.ListUsers;
  readonly changeUserSuspension: application.ChangeUserSuspension;
  readonly removeUser: application.RemoveUser;
  readonly showAccount: application.ShowAccount;
  readonly issueUserToken: application.IssueUserToken;
  readonly listUserTokens: application.ListUserTokens;
  readonly showToken: application.ShowToken;
  readonly revokeToken: application.RevokeToken;

  readonly createConfigurationVersion: application.CreateConfigurationVersion;
  readonly listConfigurationVersions: application.ListConfigurationVersions;
  readonly showConfigurationVersion: application.ShowConfigurationVersion;
  readonly showIngressAttributes: application.ShowIngressAttributes;
  readonly archiveConfigurationVersion: application.ArchiveConfigurationVersion;
  readonly locateBundle: application.LocateBundle;
  readonly readBundle: application.ReadBundle;
  readonly uploadConfigurationBundle: application.UploadConfigurationBundle;

  readonly createRun: application.CreateRun;
  readonly listRuns: application.ListRuns;
  readonly listQueuedRuns: application.ListQueuedRuns;
  readonly listRunEvents: application.ListRunEvents;
  readonly showRunCapacity: application.ShowRunCapacity;
  readonly showRun: application.ShowRun;
  readonly changeRun: application.ChangeRun;
  readonly showRunConfigurationVersion: application.ShowRunConfigurationVersion;
  readonly showRunPhase: application.ShowRunPhase;
  readonly readRunLog: application.ReadRunLog;
  readonly readPlanJson: application.ReadPlanJson;

  readonly listStateVersions: application.ListStateVersions;
  readonly showStateVersion: application.ShowStateVersion;
  readonly listStateOutputs: application.ListStateOutputs;
  readonly listCurrentOutputs: application.ListCurrentOutputs;
  readonly showStateOutput: application.ShowStateOutput;

  readonly listTaskStages: application.ListTaskStages;
  readonly showTaskStage: application.ShowTaskStage;
  readonly overrideTaskStage: application.OverrideTaskStage;
  readonly listPolicyEvaluations: application.ListPolicyEvaluations;
  readonly showPolicyEvaluation: application.ShowPolicyEvaluation;
  readonly listPolicySetOutcomes: application.ListPolicySetOutcomes;
  readonly showPolicySetOutcome: application.ShowPolicySetOutcome;

  readonly createPolicySet: application.CreatePolicySet;
  readonly listPolicySets: application.ListPolicySets;
  readonly showPolicySet: application.ShowPolicySet;
  readonly updatePolicySet: application.UpdatePolicySet;
  readonly attachPolicySet: application.AttachPolicySet;
  readonly changePoliciesOfSet: application.ChangePoliciesOfSet;
  readonly removePolicySet: application.RemovePolicySet;

  readonly createPolicy: application.CreatePolicy;
  readonly listPolicies: application.ListPolicies;
  readonly showPolicy: application.ShowPolicy;
  readonly updatePolicy: application.UpdatePolicy;
  readonly uploadPolicyCode: application.UploadPolicyCode;
  readonly readPolicyCode: application.ReadPolicyCode;
  readonly removePolicy: application.RemovePolicy;

  readonly createAgentPool: application.CreateAgentPool;
  readonly createSiteAgentPool: application.CreateSiteAgentPool;
  readonly listAgentPools: application.ListAgentPools;
  readonly listSiteAgentPools: application.ListSiteAgentPools;
  readonly showAgentPool: application.ShowAgentPool;
  readonly updateAgentPool: application.UpdateAgentPool;
  readonly removeAgentPool: application.RemoveAgentPool;
  readonly issueAgentToken: application.IssueAgentToken;
  readonly listAgentTokens: application.ListAgentTokens;

  readonly authenticateAgent: application.AuthenticateAgent;
  readonly claimRun: application.ClaimRun;
  readonly renewLease: application.RenewLease;
  readonly askLease: application.AskLease;
  readonly readRunFiles: application.ReadRunFiles;
  readonly readRunState: application.ReadRunState;
  readonly announceState: application.AnnounceState;
  readonly uploadState: application.UploadState;
  readonly storeRunArtifact: application.StoreRunArtifact;
  readonly readPlanFile: application.ReadPlanFile;
  readonly readRunPolicy: application.ReadRunPolicy;
  readonly appendRunLog: application.AppendRunLog;
  readonly reportPhase: application.ReportPhase;
  readonly reportPolicyEvaluation: application.ReportPolicyEvaluation;

  readonly fetchCommit: application.FetchCommit;
  readonly receiveWebhook: application.ReceiveWebhook;

  readonly changeBackingData: application.ChangeBackingData;

  readonly listFailingEffects: application.ListFailingEffects;

  readonly listAuditEvents: application.ListAuditEvents;
  readonly listAuditTrails: application.ListAuditTrails;
  readonly listSiteAuditEvents: application.ListSiteAuditEvents;
  /** Where refusals are told. */
  readonly refusals: application.Refusals;
}
