import { z } from 'zod';
import type { TeamWorkspaceView } from '../../../application/index.js';
import { accessLevels, permissionsOf, scales, type WorkspacePermissions } from '../../../domain/index.js';
import type { Dialect } from '../routing/dialect.js';
import type { Resource } from '../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../routing/resource.js';
import { flag } from '../routing/resource-schema.js';
import { shownEnd } from './access-end.js';

const accessLevel = z.enum(accessLevels);
const runs = z.enum(scales.runs);
const variables = z.enum(scales.variables);
const stateVersions = z.enum(scales.stateVersions);
const policyMocks = z.enum(scales.policyMocks);

/** A fixed level shows the permissions it implies. */
const teamAccess = (words: ResourceBuilder) => (dialect: Dialect) => {
  const { attribute, toOneAt, link } = words;
  const mocksOf = (level: WorkspacePermissions['policyMocks']) =>
    Object.fromEntries(dialect.mocksAttributes.map((name) => [name, attribute(policyMocks, level)]));
  const mocks = { none: mocksOf('none'), read: mocksOf('read') };
  return ({ teamWorkspace, organizationName, workspaceName }: TeamWorkspaceView): Resource => {
    const { id, teamId, workspaceId, grant } = teamWorkspace;
    const permissions = permissionsOf(grant);
    const workspace = `${dialect.prefix}/organizations/${organizationName}/workspaces/${workspaceName}`;
    return {
      id,
      type: 'team-workspaces',
      attributes: {
        access: attribute(accessLevel, grant.access),
        runs: attribute(runs, permissions.runs),
        variables: attribute(variables, permissions.variables),
        'state-versions': attribute(stateVersions, permissions.stateVersions),
        ...mocks[permissions.policyMocks],
        'workspace-locking': attribute(flag, permissions.workspaceLocking),
        'run-tasks': attribute(flag, permissions.runTasks),
        'policy-overrides': attribute(
          flag,
          permissions.policyOverrides,
          'Whether the team can override failed policies on the workspace, if its organization access has `delegate-policy-overrides`.',
        ),
        ...shownEnd(words, grant.ends),
      },
      relationships: {
        team: toOneAt('teams', teamId, `${dialect.prefix}/teams/${teamId}`),
        workspace: toOneAt('workspaces', workspaceId, workspace),
      },
      links: { self: link(`${dialect.prefix}/team-workspaces/${id}`) },
    };
  };
};

export const presentTeamAccess = teamAccess(presenting);

export const teamAccessSchema = described(
  {
    name: 'TeamAccess',
    about:
      'The permissions of one team on one workspace. With a fixed access level, the other attributes show the permissions that the level implies.',
  },
  (words, dialect) => teamAccess(words)(dialect)(anyView({ teamWorkspace: anyView({ grant: { access: 'write' } }) })),
);
