import { type ComponentType, lazy } from 'react';
import { whenServiceResponds } from './api/connection.ts';

// biome-ignore lint/suspicious/noExplicitAny: each page names its own parameters; the address decides which it gets.
type Page = ComponentType<any>;

export interface Route {
  readonly path: string;
  readonly Page: Page;
}

const reloaded = 'gatehouse-reloaded';

/** Loads code, once the service responds. */
async function loaded<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch {
    await whenServiceResponds();
  }
  return load().catch((error: unknown) => {
    // After an upgrade the files of the old version are gone: the page is loaded again, and once if that does not help.
    if (sessionStorage.getItem(reloaded) === location.href) throw error;
    sessionStorage.setItem(reloaded, location.href);
    location.reload();
    return new Promise(() => {});
  });
}

/** A page whose code is loaded when its address is first visited. */
const page = <Name extends string>(
  path: string,
  name: Name,
  load: () => Promise<{ readonly [key in Name]: Page }>,
): Route => ({ path, Page: lazy(async () => ({ default: (await loaded(load))[name] })) });

const workspace = '/app/:organization/workspaces/:workspace';

/**
 * All addresses, the first match counts. `settings` is the only first segment that is not an organization. Builders of
 * links are in `addresses.ts`.
 */
export const routes: readonly Route[] = [
  page('/app', 'OrganizationsPage', () => import('./pages/organizations.tsx')),
  page('/app/settings/tokens', 'UserTokensPage', () => import('./pages/user-tokens.tsx')),
  page('/app/settings/users', 'UsersPage', () => import('./pages/site/users.tsx')),
  page('/app/settings/agent-pools', 'SitePoolsPage', () => import('./pages/site/site-pools.tsx')),
  page('/app/settings/agent-pools/:id', 'SitePoolPage', () => import('./pages/site/site-pool.tsx')),
  page('/app/settings/audit', 'SiteAuditPage', () => import('./pages/audit/site-audit.tsx')),
  page('/app/settings/jobs', 'FailingJobsPage', () => import('./pages/site/failing-jobs.tsx')),
  page('/app/:organization', 'HomePage', () => import('./pages/home.tsx')),
  page('/app/:organization/workspaces', 'WorkspacesPage', () => import('./pages/workspaces.tsx')),
  page('/app/:organization/projects', 'ProjectsPage', () => import('./pages/projects.tsx')),
  page('/app/:organization/projects/:id', 'ProjectPage', () => import('./pages/project.tsx')),
  page('/app/:organization/runs', 'OrganizationRunsPage', () => import('./pages/organization-runs.tsx')),
  page('/app/:organization/teams', 'TeamsPage', () => import('./pages/teams.tsx')),
  page('/app/:organization/teams/:id', 'TeamPage', () => import('./pages/team/team.tsx')),
  page('/app/:organization/members', 'MembersPage', () => import('./pages/members.tsx')),
  page('/app/:organization/who-can', 'WhoCanPage', () => import('./pages/access/who-can.tsx')),
  page('/app/:organization/tokens', 'TokensPage', () => import('./pages/tokens.tsx')),
  page(workspace, 'WorkspaceOverviewPage', () => import('./pages/workspace-overview.tsx')),
  page(`${workspace}/runs`, 'RunsPage', () => import('./pages/runs.tsx')),
  page(
    `${workspace}/configuration-versions`,
    'ConfigurationVersionsPage',
    () => import('./pages/configuration-versions.tsx'),
  ),
  page(`${workspace}/access`, 'WorkspaceAccessPage', () => import('./pages/access/workspace-access.tsx')),
  page(`${workspace}/access/rights`, 'EffectiveAccessPage', () => import('./pages/access/effective-access.tsx')),
  page(`${workspace}/runs/:id`, 'RunPage', () => import('./pages/run.tsx')),
  page(`${workspace}/variables`, 'WorkspaceVariablesPage', () => import('./pages/variables/workspace-variables.tsx')),
  page(`${workspace}/states`, 'StatesPage', () => import('./pages/states/states.tsx')),
  page(`${workspace}/states/:id`, 'StatePage', () => import('./pages/states/state.tsx')),
  page(`${workspace}/states/:before/compare/:after`, 'StateDiffPage', () => import('./pages/states/state-diff.tsx')),
  page(`${workspace}/notifications`, 'NotificationsPage', () => import('./pages/notifications/notifications.tsx')),
  page(`${workspace}/tasks`, 'WorkspaceTasksPage', () => import('./pages/run-tasks/workspace-tasks.tsx')),
  page(`${workspace}/settings`, 'WorkspaceSettingsPage', () => import('./pages/settings/workspace-settings.tsx')),
  page(
    '/app/:organization/settings',
    'OrganizationSettingsPage',
    () => import('./pages/settings/organization-settings.tsx'),
  ),
  page('/app/:organization/varsets', 'VariableSetsPage', () => import('./pages/variables/variable-sets.tsx')),
  page('/app/:organization/varsets/:id', 'VariableSetPage', () => import('./pages/variables/variable-set.tsx')),
  page('/app/:organization/policies', 'PoliciesPage', () => import('./pages/policies/policies.tsx')),
  page('/app/:organization/policies/:id', 'PolicyPage', () => import('./pages/policies/policy.tsx')),
  page('/app/:organization/policy-sets', 'PolicySetsPage', () => import('./pages/policies/policy-sets.tsx')),
  page('/app/:organization/policy-sets/:id', 'PolicySetPage', () => import('./pages/policies/policy-set.tsx')),
  page('/app/:organization/policy-trials', 'PolicyTrialsPage', () => import('./pages/policy-trials/policy-trials.tsx')),
  page(
    '/app/:organization/policy-trials/:id',
    'PolicyTrialPage',
    () => import('./pages/policy-trials/policy-trial.tsx'),
  ),
  page('/app/:organization/outcomes', 'OutcomesPage', () => import('./pages/outcomes/outcomes.tsx')),
  page('/app/:organization/tasks', 'RunTasksPage', () => import('./pages/run-tasks/run-tasks.tsx')),
  page('/app/:organization/agent-pools', 'AgentPoolsPage', () => import('./pages/agents/agent-pools.tsx')),
  page('/app/:organization/agent-pools/:id', 'AgentPoolPage', () => import('./pages/agents/agent-pool.tsx')),
  page('/app/:organization/audit', 'AuditPage', () => import('./pages/audit/audit.tsx')),
  page('/app/:organization/:workspace/runs/:id', 'PrintedRunPage', () => import('./pages/run.tsx')),
];
