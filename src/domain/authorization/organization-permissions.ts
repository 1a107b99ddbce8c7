/** Permissions of features that this service does not have: stored and shown, they grant nothing. */
export const permissionsWithoutEffect = [
  'manage-modules',
  'manage-providers',
  'manage-public-modules',
  'manage-public-providers',
] as const;

/** The organization-level permissions of a team, by their wire names. */
export const organizationPermissions = [
  'manage-workspaces',
  'read-workspaces',
  'manage-policies',
  'manage-policy-overrides',
  'delegate-policy-overrides',
  'manage-vcs-settings',
  'manage-agent-pools',
  'manage-membership',
  'manage-teams',
  'manage-organization-access',
  'access-secret-teams',
  'manage-run-tasks',
  'manage-projects',
  'read-projects',
  ...permissionsWithoutEffect,
] as const;

export type OrganizationPermission = (typeof organizationPermissions)[number];

export type OrganizationAccess = ReadonlySet<OrganizationPermission>;
