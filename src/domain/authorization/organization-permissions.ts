/** The organization-level permissions of a team, by their wire names. */
export const organizationPermissions = [
  'manage-workspaces',
  'read-workspaces',
  'manage-policies',
  'manage-policy-overrides',
  'manage-vcs-settings',
  'manage-agent-pools',
  'manage-membership',
  'manage-teams',
  'manage-organization-access',
  'access-secret-teams',
] as const;

export type OrganizationPermission = (typeof organizationPermissions)[number];

export type OrganizationAccess = ReadonlySet<OrganizationPermission>;
