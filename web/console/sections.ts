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

export type Entry = 'Home' | 'Workspaces' | 'Projects' | 'Runs' | 'Access' | 'Policy' | 'Settings';

interface OrganizationSection extends Section<OrganizationPermissions> {
  /** The entry of the sidebar that it is, if the labels are the same, or stands below. */
  readonly entry: Entry;
  /** Its name for screen readers where a tab of a workspace has the same label. */
  readonly name?: string;
  /** The heading of its page where the label says too little without the entry. */
  readonly heading?: string;
}

/** The sidebar of an organization, in its order. */
export const organizationSections: readonly OrganizationSection[] = [
  { path: '', label: 'Home', entry: 'Home' },
  { path: 'workspaces', label: 'Workspaces', entry: 'Workspaces' },
  { path: 'projects', label: 'Projects', entry: 'Projects' },
  { path: 'runs', label: 'Runs', entry: 'Runs', name: 'Runs of all workspaces' },
  { path: 'teams', label: 'Teams', entry: 'Access' },
  { path: 'members', label: 'Members', entry: 'Access' },
  { path: 'who-can', label: 'Who can', entry: 'Access', when: (may) => may['can-read-effective-access'] },
  { path: 'tokens', label: 'Tokens', entry: 'Access' },
  { path: 'policy-sets', label: 'Policy sets', entry: 'Policy', when: (may) => may['can-update-sentinel'] },
  { path: 'policies', label: 'Policies', entry: 'Policy', when: (may) => may['can-update-sentinel'] },
  { path: 'policy-trials', label: 'Policy trials', entry: 'Policy', when: (may) => may['can-update-sentinel'] },
  { path: 'outcomes', label: 'Outcomes', heading: 'Policy outcomes', entry: 'Policy' },
  {
    path: 'settings',
    label: 'General',
    heading: 'Organization settings',
    entry: 'Settings',
    when: (may) => may['can-update'],
  },
  { path: 'varsets', label: 'Variable sets', entry: 'Settings', when: (may) => may['can-read-varsets'] },
  {
    path: 'tasks',
    label: 'Run tasks',
    name: 'Run tasks of the organization',
    entry: 'Settings',
    when: (may) => may['can-manage-run-tasks'],
  },
  { path: 'agent-pools', label: 'Agent pools', entry: 'Settings', when: (may) => may['can-update-agent-pools'] },
  { path: 'audit', label: 'Audit trail', entry: 'Settings', when: (may) => may['can-read-audit-events'] },
];

/** The tabs of a workspace. */
export const workspaceTabs: readonly Section<WorkspacePermissions>[] = [
  { path: '', label: 'Overview' },
  { path: 'runs', label: 'Runs', when: (may) => may['can-read-run'] },
  { path: 'configuration-versions', label: 'Configuration versions', when: (may) => may['can-read-run'] },
  { path: 'variables', label: 'Variables', when: (permissions) => permissions['can-read-variable'] },
  { path: 'states', label: 'States', when: (permissions) => permissions['can-read-state-versions'] },
  { path: 'access', label: 'Access' },
  { path: 'tasks', label: 'Run tasks', when: (may) => may['can-read-run'] },
  { path: 'notifications', label: 'Notifications', when: (may) => may['can-update'] },
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
