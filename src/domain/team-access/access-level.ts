import { reaches, type WorkspacePermissions } from './workspace-permissions.js';

/** The permissions each fixed access level implies. `custom` has no row: its permissions are stored. */
export const impliedBy = {
  read: {
    runs: 'read',
    variables: 'read',
    stateVersions: 'read',
    policyMocks: 'none',
    workspaceLocking: false,
    runTasks: false,
    policyOverrides: false,
  },
  plan: {
    runs: 'plan',
    variables: 'read',
    stateVersions: 'read',
    policyMocks: 'none',
    workspaceLocking: false,
    runTasks: false,
    policyOverrides: false,
  },
  write: {
    runs: 'apply',
    variables: 'write',
    stateVersions: 'write',
    policyMocks: 'read',
    workspaceLocking: true,
    runTasks: false,
    policyOverrides: false,
  },
  admin: {
    runs: 'apply',
    variables: 'write',
    stateVersions: 'write',
    policyMocks: 'read',
    workspaceLocking: true,
    runTasks: true,
    policyOverrides: false,
  },
} as const satisfies Record<string, WorkspacePermissions>;

export type FixedLevel = keyof typeof impliedBy;

export const accessLevels = ['read', 'plan', 'write', 'admin', 'custom'] as const;

export type AccessLevel = (typeof accessLevels)[number];

/** The default permissions of a custom grant. */
export const customDefaults: WorkspacePermissions = {
  runs: 'read',
  variables: 'none',
  stateVersions: 'none',
  policyMocks: 'none',
  workspaceLocking: false,
  runTasks: false,
  policyOverrides: false,
};

/** An access level with its permissions. Only a custom level stores individual permissions. */
export type Grant =
  | { readonly access: FixedLevel }
  | { readonly access: 'custom'; readonly permissions: WorkspacePermissions };

export const permissionsOf = (grant: Grant): WorkspacePermissions =>
  grant.access === 'custom' ? grant.permissions : impliedBy[grant.access];

/** Whether everything that `given` gives is in `held`. */
export const includesGrant = (held: Grant, given: Grant): boolean =>
  reaches(permissionsOf(held), permissionsOf(given)) && (given.access !== 'admin' || held.access === 'admin');
