/** Each right on a workspace, as what it lets one do. A test holds these tables against the access policy. */
export const rightWords = {
  'workspaces/read': 'See the workspace',
  'workspaces/update': 'Change its settings',
  'workspaces/set-execution': 'Choose where its runs execute',
  'workspaces/schedule-destroy': 'Schedule its destruction',
  'workspaces/set-retention': 'Set how long its data is kept',
  'workspaces/link-repository': 'Link it to a repository',
  'workspaces/delete': 'Delete it',
  'workspaces/force-delete': 'Delete it with its resources, whatever the organization allows',
  'workspaces/lock': 'Lock and unlock the workspace',
  'workspaces/force-unlock': 'Force-unlock the workspace',
  'variables/read': 'See variables',
  'variables/manage': 'Change variables',
  'team-access/list': 'List team access',
  'team-access/manage': 'Change team access',
  'runs/read': 'See runs',
  'runs/queue': 'Create runs',
  'runs/comment': 'Comment on runs',
  'runs/apply': 'Apply runs',
  'runs/force-cancel': 'Force-cancel runs',
  'runs/force-execute': 'Execute a run before its turn',
  'plans/read-json-output': 'Read plans as JSON',
  'state-versions/read': 'Read states',
  'state-versions/create': 'Create states',
  'state-version-outputs/read': 'Read outputs of states',
  'policy-outcomes/read': 'See policy outcomes',
  'policy-outcomes/override': 'Override failed policies',
  'configuration-versions/read': 'See configuration versions',
  'configuration-versions/create': 'Create configuration versions',
  'configuration-versions/archive': 'Archive configuration versions',
  'configuration-versions/manage-backing-data': 'Delete and restore files of configuration versions',
} as const;

/** The same for a project. */
export const projectRightWords = {
  'projects/read': 'See the project',
  'projects/update': 'Change its settings',
  'projects/delete': 'Delete it',
  'projects/move-workspaces': 'Move workspaces into it and out of it',
  'project-access/manage': 'Change team access',
  'variable-sets/list-in-project': 'See its variable sets',
  'variable-sets/manage-in-project': 'Change its variable sets',
  'workspaces/create': 'Create workspaces in it',
} as const;

/** The same for an organization. */
export const organizationRightWords = {
  'organizations/update': 'Change its settings',
  'organizations/delete': 'Delete it',
  'organization-tokens/manage': 'Issue and revoke its tokens',
  'token-ttl-policies/manage': 'Limit how long tokens are valid',
  'memberships/manage': 'Invite and remove members',
  'teams/create': 'Create teams',
  'teams/map-group': 'Map groups of the identity provider to teams',
  'projects/create': 'Create projects',
  'workspaces/create': 'Create workspaces',
  'tags/delete': 'Delete tags',
  'variable-sets/list': 'See variable sets',
  'variable-sets/manage': 'Change variable sets',
  'run-tasks/manage': 'Manage run tasks',
  'policies/manage': 'Manage policies',
  'policy-sets/manage': 'Manage policy sets',
  'policy-sets/link-repository': 'Link policy sets to repositories',
  'agent-pools/list': 'See agent pools',
  'agent-pools/create': 'Create agent pools',
  'audit-events/read': 'Read the audit trail',
  'access-report/read': 'Export the access report',
} as const;

const noEffect = 'no effect (kept for API compatibility)';

/** Each organization-level permission: its name, and what it lets one do. Those without effect are last. */
export const organizationPermissions = {
  'manage-workspaces': ['Manage workspaces', 'create workspaces, and administer every workspace'],
  'read-workspaces': ['Read workspaces', 'read every workspace'],
  'manage-projects': ['Manage projects', 'create projects, and administer every project and workspace'],
  'read-projects': ['Read projects', 'read every project and workspace'],
  'manage-policies': ['Manage policies', 'manage policies and policy sets, and see every run'],
  'manage-policy-overrides': ['Override policies', 'override failed policies in every workspace, and see every run'],
  'delegate-policy-overrides': [
    'Override policies where delegated',
    'override failed policies in workspaces whose team access includes it',
  ],
  'manage-vcs-settings': ['Link repositories', 'link repositories to workspaces and policy sets that the team manages'],
  'manage-run-tasks': ['Manage run tasks', 'create, change and delete run tasks'],
  'manage-agent-pools': ['Manage agent pools', 'create agent pools, and change those that no workspace uses'],
  'manage-membership': ['Manage members', 'invite and remove members, and add them to teams'],
  'manage-teams': ['Manage teams', 'create, change and delete teams, and issue their tokens'],
  'manage-organization-access': ['Manage organization access', 'change this list for other teams'],
  'access-secret-teams': ['See secret teams', 'see teams that only their members see otherwise'],
  'manage-modules': ['Manage modules', noEffect],
  'manage-providers': ['Manage providers', noEffect],
  'manage-public-modules': ['Manage public modules', noEffect],
  'manage-public-providers': ['Manage public providers', noEffect],
} as const satisfies Readonly<Record<string, readonly [name: string, does: string]>>;

export type OrganizationPermission = keyof typeof organizationPermissions;

const entries = Object.entries(organizationPermissions) as [OrganizationPermission, readonly [string, string]][];

export const permissionsInOrder: readonly OrganizationPermission[] = entries.map(([permission]) => permission);
export const permissionsWithoutEffect: readonly OrganizationPermission[] = entries
  .filter(([, [, does]]) => does === noEffect)
  .map(([permission]) => permission);

/** The claims of the access policy that these rights need. */
export const claimWords: Readonly<Record<string, string>> = {
  member: 'Membership of the organization',
  owner: 'Ownership of the organization',
  'organization token': 'The token of the organization',
  'runs: read': 'See runs',
  'runs: plan': 'Create runs',
  'runs: apply': 'Apply runs',
  'state-versions: read-outputs': 'Read outputs of states',
  'state-versions: read': 'Read states',
  'state-versions: write': 'Create states',
  'variables: read': 'See variables',
  'variables: write': 'Change variables',
  'workspace locking': 'Lock and unlock the workspace',
  'workspace admin': 'Administer the workspace',
  'delete workspaces of the project': 'Delete workspaces of the project',
  'audit token': 'The audit token of the organization',
  'access to the project or a workspace of it': 'Access to the project or one of its workspaces',
  'project settings: update': 'Change the settings of the project',
  'project settings: delete': 'Delete the project',
  'project teams: manage': 'Manage team access to the project',
  'project variable sets: read': 'See variable sets of the project',
  'project variable sets: write': 'Change variable sets of the project',
  'move workspaces to the project': 'Move workspaces to the project',
  'create workspaces in the project': 'Create workspaces in the project',
  'manage-workspaces': organizationPermissions['manage-workspaces'][0],
  'manage-projects': organizationPermissions['manage-projects'][0],
  'manage-membership': organizationPermissions['manage-membership'][0],
  'manage-teams': organizationPermissions['manage-teams'][0],
  'manage-run-tasks': organizationPermissions['manage-run-tasks'][0],
  'manage-policies': organizationPermissions['manage-policies'][0],
  'manage-agent-pools': organizationPermissions['manage-agent-pools'][0],
  'manage-vcs-settings': organizationPermissions['manage-vcs-settings'][0],
  'manage-policy-overrides': organizationPermissions['manage-policy-overrides'][0],
  'policy overrides, through a team with delegate-policy-overrides':
    organizationPermissions['delegate-policy-overrides'][0],
};

/** Custom permissions of a team on a workspace, by their names in the access of a team. */
export const customWords = {
  'workspace-locking': 'Lock and unlock the workspace',
  'run-tasks': 'Attach and detach run tasks',
  'policy-overrides': `Override failed policies, if the team has “${organizationPermissions['delegate-policy-overrides'][0]}”`,
  'policy-mocks': `Policy mocks: ${noEffect}`,
} as const;
