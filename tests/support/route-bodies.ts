import { doc } from './api.js';

/** The objects that bodies refer to. */
export interface Referred {
  readonly email: string;
  readonly user: string;
  readonly membership: string;
  readonly project: string;
  readonly workspace: string;
  /** A workspace that triggers no run of the one above yet. */
  readonly source: string;
  readonly team: string;
  readonly version: string;
  readonly policy: string;
  readonly task: string;
  readonly tag: string;
  readonly state: string;
}

/** An archive of `policies.hcl` with the policy `tags`, and its code. */
export const policyArchive =
  'H4sIAAAAAAACA+3TzQrCMAwH8J77FKEPMFI2NhD2JCJSujiH3YddJxTx3aVexF28uMGkv0sgFEJI/0NvGt3QmJy1YQtBxDzLIFREnFdEKQvAN0ApszwFhmwF0+iUZYg/WPJjuY0Ywv09CKfqUcCdA1wnsh5KEJVyKgn9pKLOCw5A3am3mlrq3NHQjUx41qquUq63XvAHZ9G2vO5rqe4XnPEt/5jKWf6xKGL+18m/0hdVE4R/wHkIOuxK2B9ikqMoiv7bE7v31A4ADAAA';

const relationTo = (type: string, id: string) => ({ data: { type, id } });

/** A well-formed body for each route that reads one: what is refused then is refused for its caller. */
export const bodiesWith = (referred: Referred): Readonly<Record<string, object>> => {
  const users = { data: [{ type: 'users', id: referred.user }] };
  const workspaces = { data: [{ type: 'workspaces', id: referred.workspace }] };
  const projects = { data: [{ type: 'projects', id: referred.project }] };
  const policies = { data: [{ type: 'policies', id: referred.policy }] };
  const memberships = { data: [{ type: 'organization-memberships', id: referred.membership }] };
  const bindings = { data: [{ type: 'tag-bindings', attributes: { key: 'stage', value: 'live' } }] };
  const retention = {
    data: { type: 'data-retention-policy-delete-olders', attributes: { 'delete-older-than-n-days': 30 } },
  };
  const notification = doc('notification-configurations', {
    name: 'fresh',
    enabled: false,
    'destination-type': 'generic',
    url: 'https://hooks.example',
  });
  const tags = { data: [{ type: 'tags', attributes: { name: 'network' } }] };
  return {
    'post /organizations': doc('organizations', { name: 'fresh', email: 'a@example.com' }),
    'patch /organizations/:organization': doc('organizations', { email: 'b@example.com' }),
    'post /organizations/:organization/authentication-token': {},
    'patch /organizations/:organization/token-ttl-policies': doc('organization-token-ttl-policies', {
      'token-ttl-policies': [{ 'token-type': 'team', 'max-ttl-ms': 94_608_000_000 }],
    }),
    'post /organizations/:organization/organization-memberships': doc('organization-memberships', {
      email: referred.email,
    }),
    'post /organizations/:organization/projects': doc('projects', { name: 'fresh' }),
    'patch /projects/:id': doc('projects', { description: 'changed' }),
    'post /projects/:id/relationships/workspaces': workspaces,
    'post /organizations/:organization/workspaces': doc('workspaces', { name: 'fresh' }),
    'patch /organizations/:organization/workspaces/:name': doc('workspaces', { description: 'changed' }),
    'patch /workspaces/:id': doc('workspaces', { description: 'changed' }),
    'post /workspaces/:id/relationships/remote-state-consumers': workspaces,
    'patch /workspaces/:id/relationships/remote-state-consumers': workspaces,
    'delete /workspaces/:id/relationships/remote-state-consumers': workspaces,
    'delete /organizations/:organization/tags': { data: [{ type: 'tags', id: referred.tag }] },
    'post /tags/:id/relationships/workspaces': workspaces,
    'post /workspaces/:id/relationships/tags': tags,
    'delete /workspaces/:id/relationships/tags': tags,
    'patch /workspaces/:id/tag-bindings': bindings,
    'patch /projects/:id/tag-bindings': bindings,
    'post /workspaces/:id/actions/lock': {},
    'post /workspaces/:id/relationships/data-retention-policy': retention,
    'post /organizations/:organization/relationships/data-retention-policy': retention,
    'post /runs/:id/actions/apply': { comment: 'Looks good' },
    'post /runs/:id/actions/discard': {},
    'post /runs/:id/actions/cancel': {},
    'post /runs/:id/actions/force-cancel': {},
    'post /runs/:id/actions/force-execute': {},
    'post /runs/:id/comments': doc('comments', { body: 'Looks good' }),
    'post /task-stages/:id/actions/override': {},
    'post /workspaces/:workspaceId/vars': doc('vars', { key: 'fresh', category: 'terraform' }),
    'patch /workspaces/:workspaceId/vars/:variableId': doc('vars', { description: 'changed' }),
    'post /organizations/:organization/tasks': doc('tasks', { name: 'fresh', url: 'https://scanner.example' }),
    'patch /tasks/:id': doc('tasks', { description: 'changed' }),
    'post /workspaces/:workspaceId/tasks': doc(
      'workspace-tasks',
      { 'enforcement-level': 'mandatory' },
      { task: relationTo('tasks', referred.task) },
    ),
    'patch /workspaces/:workspaceId/tasks/:workspaceTaskId': doc('workspace-tasks', { stages: ['pre_plan'] }),
    'post /workspaces/:workspaceId/notification-configurations': notification,
    'post /projects/:id/notification-configurations': notification,
    'post /teams/:id/notification-configurations': notification,
    'post /organizations/:organization/policy-trials': doc('policy-trials', { archive: policyArchive }, { workspaces }),
    'post /workspaces/:workspaceId/run-triggers': doc(
      'run-triggers',
      {},
      { sourceable: relationTo('workspaces', referred.source) },
    ),
    'patch /notification-configurations/:id': doc('notification-configurations', { name: 'changed' }),
    'post /organizations/:organization/varsets': doc('varsets', { name: 'fresh' }),
    'patch /varsets/:id': doc('varsets', { description: 'changed' }),
    'post /varsets/:id/relationships/workspaces': workspaces,
    'delete /varsets/:id/relationships/workspaces': workspaces,
    // Projects have an owner of their own, who decides about them too.
    'post /varsets/:id/relationships/projects': { data: [] },
    'delete /varsets/:id/relationships/projects': { data: [] },
    'post /varsets/:id/relationships/vars': doc('vars', { key: 'fresh', category: 'terraform' }),
    'patch /varsets/:id/relationships/vars/:setVariableId': doc('vars', { description: 'changed' }),
    'post /workspaces/:workspaceId/configuration-versions': {},
    'post /workspaces/:workspaceId/state-versions': doc('state-versions', { serial: 2, md5: '0'.repeat(32) }),
    'patch /workspaces/:workspaceId/state-versions': doc(
      'state-versions',
      {},
      { 'rollback-state-version': relationTo('state-versions', referred.state) },
    ),
    'post /organizations/:organization/teams': doc('teams', { name: 'fresh' }),
    'patch /teams/:id': doc('teams', { visibility: 'organization' }),
    'post /teams/:id/relationships/users': users,
    'delete /teams/:id/relationships/users': users,
    'post /teams/:id/relationships/organization-memberships': memberships,
    'delete /teams/:id/relationships/organization-memberships': memberships,
    'post /users/:userId/authentication-tokens': {},
    'post /teams/:teamId/authentication-token': doc('authentication-token'),
    'post /team-workspaces': doc(
      'team-workspaces',
      { access: 'read' },
      { workspace: relationTo('workspaces', referred.workspace), team: relationTo('teams', referred.team) },
    ),
    'patch /team-workspaces/:id': doc('team-workspaces', { access: 'plan' }),
    'post /team-projects': doc(
      'team-projects',
      { access: 'custom' },
      { project: relationTo('projects', referred.project), team: relationTo('teams', referred.team) },
    ),
    'patch /team-projects/:id': doc('team-projects', { 'workspace-access': { locking: false } }),
    'post /runs': doc(
      'runs',
      { message: 'Try it' },
      {
        workspace: relationTo('workspaces', referred.workspace),
        'configuration-version': relationTo('configuration-version', referred.version),
      },
    ),
    'post /organizations/:organization/policy-sets': doc('policy-sets', { name: 'fresh', kind: 'opa' }),
    'patch /policy-sets/:id': doc('policy-sets', { description: 'changed' }),
    'post /policy-sets/:id/relationships/workspaces': workspaces,
    'delete /policy-sets/:id/relationships/workspaces': workspaces,
    'post /policy-sets/:id/relationships/workspace-exclusions': workspaces,
    'delete /policy-sets/:id/relationships/workspace-exclusions': workspaces,
    'post /policy-sets/:id/relationships/projects': projects,
    'delete /policy-sets/:id/relationships/projects': projects,
    'post /policy-sets/:id/relationships/project-exclusions': projects,
    'delete /policy-sets/:id/relationships/project-exclusions': projects,
    'post /policy-sets/:id/tag-selectors': { data: [{ 'tag-key': 'env', 'tag-value': 'prod' }] },
    'delete /policy-sets/:id/tag-selectors': { data: [{ 'tag-key': 'env' }] },
    'post /policy-sets/:id/relationships/policies': policies,
    'delete /policy-sets/:id/relationships/policies': policies,
    'post /policy-sets/:policySetId/parameters': doc('vars', { key: 'fresh', category: 'policy-set' }),
    'patch /policy-sets/:policySetId/parameters/:parameterId': doc('vars', { value: 'changed' }),
    'post /organizations/:organization/policies': doc('policies', {
      name: 'fresh',
      kind: 'opa',
      query: 'data.fresh.deny',
    }),
    'patch /policies/:id': doc('policies', { description: 'changed' }),
    // Any text is code.
    'put /policies/:id/upload': {},
    'post /organizations/:organization/agent-pools': doc('agent-pools', { name: 'fresh' }),
    'post /admin/agent-pools': doc('agent-pools', { name: 'fresh' }),
    'patch /admin/agent-pools/:id': doc('agent-pools', { name: 'renamed' }),
    'post /admin/agent-pools/:sitePoolId/authentication-tokens': {},
    'patch /agent-pools/:id': doc('agent-pools', { name: 'renamed' }),
    'post /agent-pools/:poolId/authentication-tokens': {},
    'post /admin/users/:id/identities': doc('identities', { issuer: 'https://provider.example', subject: 'fresh' }),
    'patch /admin/organizations/:organization': doc('organizations', { 'sso-groups': ['platform-*'] }),
    'post /admin/users': doc('users', { username: 'fresh', email: 'fresh@example.com' }),
  };
};

/** The same, about nothing that exists. */
export const bodies = bodiesWith({
  email: 'admin@example.com',
  user: 'admin',
  membership: 'ou-nobody',
  project: 'prj-any',
  workspace: 'ws-any',
  source: 'ws-other',
  team: 'team-any',
  version: 'cv-any',
  policy: 'pol-any',
  task: 'task-any',
  tag: 'tag-any',
  state: 'sv-any',
});
