/** What a team may be allowed in its whole organization, by the names the wire uses. */
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
