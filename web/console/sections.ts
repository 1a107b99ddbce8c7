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
  { path: 'policies', label: 'Policies', when: (permissions) => permissions['can-update-sentinel'] },
  { path: 'policy-sets', label: 'Policy sets', when: (permissions) => permissions['can-update-sentinel'] },
  { path: 'agent-pools', label: 'Agent pools', when: (permissions) => permissions['can-update-agent-pools'] },
  { path: 'audit', label: 'Audit trail', when: (permissions) => permissions['can-read-audit-events'] },
  { path: 'settings', label: 'Organization settings', when: (permissions) => permissions['can-update'] },
];

/** The tabs of a workspace. */
export const workspaceTabs: readonly Section<WorkspacePermissions>[] = [
  { path: '', label: 'Overview' },
  { path: 'runs', label: 'Runs', when: (may) => may['can-read-run'] },
  { path: 'configuration-versions', label: 'Configuration versions', when: (may) => may['can-read-run'] },
  { path: 'variables', label: 'Variables', when: (permissions) => permissions['can-read-variable'] },
  { path: 'states', label: 'States', when: (permissions) => permissions['can-read-state-versions'] },
  { path: 'access', label: 'Access' },
  {
    path: 'settings',
    label: 'Settings',
    when: (permissions) => permissions['can-update'] || permissions['can-destroy'],
  },
];

/** The tabs of the pages for site administrators. */
export const siteTabs = [
  { path: 'users', label: 'Users' },
  { path: 'agent-pools', label: 'Site agent pools' },
  { path: 'audit', label: 'Site audit trail' },
  { path: 'jobs', label: 'Failing jobs' },
] as const;
