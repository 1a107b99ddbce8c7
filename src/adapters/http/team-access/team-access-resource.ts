import { z } from 'zod';
import type { TeamWorkspaceView } from '../../../application/index.js';
import { accessLevels, permissionsOf, scales } from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOneAt } from '../json-api/document.js';
import * as examples from '../json-api/examples.js';
import { linkIn, perDialect, resourceSchema, toOneSchema } from '../json-api/resource-schema.js';

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

export const teamAccessSchema = perDialect((dialect) => {
  const link = linkIn(dialect);
  return resourceSchema(dialect, {
    name: 'TeamAccess',
    type: 'team-workspaces',
    description: 'One team’s rights on one workspace. A fixed access level shows the permissions that it implies.',
    attributes: {
      access: z.enum(accessLevels),
      runs: z.enum(scales.runs),
      variables: z.enum(scales.variables),
      'state-versions': z.enum(scales.stateVersions),
      ...Object.fromEntries(dialect.mocksAttributes.map((name) => [name, z.enum(scales.policyMocks)])),
      'workspace-locking': z.boolean(),
      'run-tasks': z.boolean(),
    },
    relationships: {
      team: toOneSchema('teams', { related: link }),
      workspace: toOneSchema('workspaces', { related: link }),
    },
    links: { self: link },
    example: presentTeamAccess(dialect)(examples.teamWorkspace),
  });
});
