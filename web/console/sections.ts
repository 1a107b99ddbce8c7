import type { Schemas } from './api/client.ts';

type OrganizationPermissions = NonNullable<Schemas['client.Organization']['attributes']['permissions']>;
type WorkspacePermissions = Schemas['client.Workspace']['attributes']['permissions'];

interface Section<Permissions> {
  /** The last segment of the address. */
  readonly path: string;
  readonly label: string;
  /** Whether the caller is offered it, by the permissions that the service answers. */
  readonly when?: (permissions: Permissions) => boolean;
}

/** The navigation of an organization. */
export const organizationSections: readonly Section<OrganizationPermissions>[] = [
  { path: 'workspaces', label: 'Workspaces' },
  { path: 'projects', label: 'Projects' },
  { path: 'teams', label: 'Teams' },
  { path: 'members', label: 'Members' },
  { path: 'tokens', label: 'Tokens' },
  { path: 'varsets', label: 'Variable sets', when: (permissions) => permissions['can-read-varsets'] },
];

/** The tabs of a workspace. */
export const workspaceTabs: readonly Section<WorkspacePermissions>[] = [
  { path: '', label: 'Overview' },
  { path: 'variables', label: 'Variables', when: (permissions) => permissions['can-read-variable'] },
  { path: 'states', label: 'States', when: (permissions) => permissions['can-read-state-versions'] },
  { path: 'access', label: 'Access' },
];
