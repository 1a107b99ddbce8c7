import type { TeamWorkspaceView } from '../../../application/index.js';
import { permissionsOf } from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOneAt } from '../json-api/document.js';

/** A fixed level shows the permissions it implies. */
export const presentTeamAccess = (dialect: Dialect) => {
  const mocksOf = (level: string) => Object.fromEntries(dialect.mocksAttributes.map((name) => [name, level]));
  const mocks = { none: mocksOf('none'), read: mocksOf('read') };
  return (teamWorkspace: TeamWorkspaceView): Resource => {
    const permissions = permissionsOf(teamWorkspace.grant);
    const { organizationName, workspaceName } = teamWorkspace;
    const workspace = `${dialect.prefix}/organizations/${organizationName}/workspaces/${workspaceName}`;
    return {
      id: teamWorkspace.id,
      type: 'team-workspaces',
      attributes: {
        access: teamWorkspace.grant.access,
        runs: permissions.runs,
        variables: permissions.variables,
        'state-versions': permissions.stateVersions,
        ...mocks[permissions.policyMocks],
        'workspace-locking': permissions.workspaceLocking,
        'run-tasks': permissions.runTasks,
      },
      relationships: {
        team: toOneAt('teams', teamWorkspace.teamId, `${dialect.prefix}/teams/${teamWorkspace.teamId}`),
        workspace: toOneAt('workspaces', teamWorkspace.workspaceId, workspace),
      },
      links: { self: `${dialect.prefix}/team-workspaces/${teamWorkspace.id}` },
    };
  };
};
