import { ContainerModule, type Newable } from 'inversify';
import type { UseCases } from '../../adapters/http/use-cases.js';
import * as application from '../../application/index.js';
import { provideClass } from './provide.js';
import { Port } from './tokens.js';

const { unitOfWork, clock, ids, secrets, capabilityUrls, bundleInspector, bundleStore } = Port;

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
  createTeam: application.CreateTeam,
  listTeams: application.ListTeams,
  showTeam: application.ShowTeam,
  updateTeam: application.UpdateTeam,
  removeTeam: application.RemoveTeam,
  changeTeamMembers: application.ChangeTeamMembers,
  addTeamAccess: application.AddTeamAccess,
  listTeamAccess: application.ListTeamAccess,
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

  provideClass(bind, application.CreateWorkspace, [unitOfWork, clock, ids]);
  provideClass(bind, application.ListWorkspaces, [unitOfWork]);
  provideClass(bind, application.ShowWorkspace, [unitOfWork]);
  provideClass(bind, application.UpdateWorkspace, [unitOfWork, clock]);
  provideClass(bind, application.RemoveWorkspace, [unitOfWork, clock]);
  provideClass(bind, application.ChangeWorkspaceLock, [unitOfWork, clock]);

  provideClass(bind, application.CreateTeam, [unitOfWork, clock, ids]);
  provideClass(bind, application.ListTeams, [unitOfWork]);
  provideClass(bind, application.ShowTeam, [unitOfWork]);
  provideClass(bind, application.UpdateTeam, [unitOfWork]);
  provideClass(bind, application.RemoveTeam, [unitOfWork, clock]);
  provideClass(bind, application.ChangeTeamMembers, [unitOfWork]);

  provideClass(bind, application.AddTeamAccess, [unitOfWork, ids]);
  provideClass(bind, application.ListTeamAccess, [unitOfWork]);
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
  provideClass(bind, application.IssueUserToken, [unitOfWork, application.TokenIssuer]);
  provideClass(bind, application.ListUserTokens, [unitOfWork]);
  provideClass(bind, application.ShowToken, [unitOfWork]);
  provideClass(bind, application.RevokeToken, [unitOfWork]);

  provideClass(bind, application.CreateConfigurationVersion, [unitOfWork, clock, ids, capabilityUrls]);
  provideClass(bind, application.ListConfigurationVersions, [unitOfWork]);
  provideClass(bind, application.ShowConfigurationVersion, [unitOfWork]);
  provideClass(bind, application.ShowIngressAttributes, [unitOfWork]);
  provideClass(bind, application.ArchiveConfigurationVersion, [unitOfWork, clock]);
  provideClass(bind, application.LocateBundle, [unitOfWork, clock, capabilityUrls]);
  provideClass(bind, application.ReadBundle, [unitOfWork, clock, capabilityUrls, bundleStore]);
  provideClass(bind, application.UploadConfigurationBundle, [
    unitOfWork,
    clock,
    ids,
    capabilityUrls,
    bundleInspector,
    bundleStore,
  ]);

  provideClass(bind, application.PerformEffects, [unitOfWork, clock, bundleStore]);
  provideClass(bind, application.SweepBundles, [unitOfWork, bundleStore]);

  bind(Port.useCases).toDynamicValue(
    (context) =>
      Object.fromEntries(
        Object.entries(useCasesByName).map(([name, UseCase]) => [name, context.get(UseCase as Newable<unknown>)]),
      ) as unknown as UseCases,
  );
});
