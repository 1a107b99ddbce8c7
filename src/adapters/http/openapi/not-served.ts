/** A part of this API family that the service does not serve. */
export interface NotServed {
  readonly name: string;
  /** Its endpoints, with every path below them. A parameter stands for any id, whether it exists or not. */
  readonly paths: readonly string[];
  /** Endpoints of which those below them are served. */
  readonly alone?: readonly string[];
  /** The resources of the tfe provider that need it. */
  readonly resources: readonly string[];
  /** In sentences, for the response and the page. */
  readonly why: string;
  /** A link to more, for the page only. */
  readonly more?: string;
}

const of = (place: string, ...names: readonly string[]): readonly string[] => names.map((name) => `${place}/${name}`);
const ofOrganization = (...names: readonly string[]) => of('/organizations/:organization', ...names);
const ofWorkspace = (...names: readonly string[]) => of('/workspaces/:id', ...names);
const ofSite = (...names: readonly string[]) => of('/admin', ...names);

/** Requests for these are 404 with the reason, and `docs/compatibility.md` lists them. */
export const notServed: readonly NotServed[] = [
  {
    name: 'token TTL policies through the tfe provider',
    paths: [],
    resources: ['tfe_org_max_token_ttl_policy'],
    why: 'The API serves `token-ttl-policies`. The provider sends them only to a service that reports release 2.0.1 or later.',
  },
  {
    name: 'tag selectors as a relationship',
    paths: ['/policy-sets/:id/relationships/tag-selectors'],
    resources: [],
    why: 'They have no ids: see `/policy-sets/:id/tag-selectors`.',
  },
  {
    name: 'reserved tag keys',
    paths: [...ofOrganization('reserved-tag-keys'), '/reserved-tag-keys'],
    resources: [],
    why: 'Everyone who may update a workspace may use any key.',
  },
  {
    name: 'global run tasks',
    paths: [],
    resources: ['tfe_organization_run_task_global_settings'],
    why: 'Run tasks are attached to workspaces.',
  },
  {
    name: 'registry',
    paths: [
      ...ofOrganization(
        'registry-modules',
        'registry-providers',
        'registry-components',
        'no-code-modules',
        'provider-sets',
        'tests',
        'relationships/module-producers',
      ),
      ...ofSite('organizations/:organization/relationships/module-consumers'),
      '/registry-modules',
      '/registry-providers',
      '/registry-components',
      '/provider-sets',
      '/no-code-modules',
    ],
    resources: [
      'tfe_registry_module',
      'tfe_registry_provider',
      'tfe_registry_gpg_key',
      'tfe_no_code_module',
      'tfe_organization_module_sharing',
      'tfe_provider_set',
      'tfe_test_variable',
    ],
    why: 'Modules come from Git sources, providers from the public registry or a mirror.',
  },
  {
    name: 'OAuth clients',
    paths: [
      ...ofOrganization('oauth-clients', 'oauth-tokens', 'vcs-events'),
      '/oauth-clients',
      '/oauth-tokens',
      '/github-app',
    ],
    resources: ['tfe_oauth_client', 'tfe_project_oauth_client'],
    why: 'The operator keeps the credentials of repositories in files.',
    more: '[repositories](version-control.md)',
  },
  {
    name: 'SSH keys',
    paths: [...ofOrganization('ssh-keys'), ...ofWorkspace('relationships/ssh-key'), '/ssh-keys'],
    resources: ['tfe_ssh_key'],
    why: 'Keys for fetching modules stay on the machines of the agents.',
  },
  {
    name: 'cost estimation',
    paths: ['/cost-estimates'],
    resources: [],
    why: 'It needs the price lists of cloud vendors. A policy can judge the plan instead.',
  },
  {
    name: 'policy checks',
    paths: ['/runs/:id/policy-checks', '/policy-checks'],
    resources: [],
    why: 'Policies are evaluated in task stages: see `/runs/:id/task-stages`.',
  },
  {
    name: 'health assessments',
    paths: [...ofWorkspace('current-assessment-result'), '/assessment-results'],
    resources: [],
    why: 'A run that is `plan-only` and `refresh-only` shows drift.',
  },
  {
    name: 'agents as resources',
    paths: ['/agent-pools/:id/agents', '/agents'],
    resources: [],
    why: 'Agents hold no registration, only leases of runs. The tokens of a pool show when they were last used.',
  },
  {
    name: 'SAML and SCIM',
    paths: [...ofSite('saml-settings', 'scim-settings', 'scim-tokens', 'scim-group-mappings'), '/scim'],
    resources: ['tfe_saml_settings', 'tfe_scim_settings', 'tfe_scim_token', 'tfe_scim_group_mapping'],
    why: 'Users, memberships and teams are managed through the API.',
  },
  {
    name: 'administration of the installation',
    paths: ofSite(
      'general-settings',
      'cost-estimation-settings',
      'smtp-settings',
      'twilio-settings',
      'customization-settings',
      'workspaces',
      'runs',
      'terraform-versions',
      'opa-versions',
      'sentinel-versions',
      'oidc-settings',
      'users/:id/actions/grant_admin',
      'users/:id/actions/revoke_admin',
      'users/:id/actions/disable_two_factor',
    ),
    alone: ofSite('organizations'),
    resources: [
      'tfe_terraform_version',
      'tfe_opa_version',
      'tfe_sentinel_version',
      'tfe_admin_organization_settings',
      'tfe_admin_smtp_settings',
    ],
    why: 'The operator uses the settings and commands of the service. Agents fetch the programs of the versions that runs name.',
    more: '[configuration](configuration.md)',
  },
  {
    name: 'accounts',
    paths: ['/account/update', '/account/password'],
    alone: ['/users/:id'],
    resources: [],
    why: 'The operator and the identity provider keep accounts. Organizations show their members.',
  },
  {
    name: 'variables of all workspaces',
    paths: ['/vars'],
    resources: [],
    why: 'A workspace has its own: see `/workspaces/:id/vars`.',
  },
  {
    name: 'explorer and change requests',
    paths: [...ofOrganization('explorer'), ...ofWorkspace('change-requests'), '/workspaces/change-requests/:id'],
    resources: [],
    why: 'The lists of workspaces and runs have filters.',
  },
  {
    name: 'backing data of states',
    paths: ['/state-versions/:id/actions'],
    resources: [],
    why: 'Data retention policies delete old states.',
  },
  {
    name: 'states that could not be uploaded',
    paths: ['/applies/:id/errored-state'],
    resources: [],
    why: 'The agent keeps them.',
    more: '[agents](agents.md)',
  },
  {
    name: 'plans and applies by their run',
    paths: ['/runs/:id/plan', '/runs/:id/apply'],
    resources: [],
    why: 'The run names them: see `/plans/:id` and `/applies/:id`.',
  },
  {
    name: 'queries',
    paths: [...ofWorkspace('queries'), '/queries'],
    resources: [],
    why: 'Agents plan and apply. `terraform query` runs on the machine of its user.',
  },
  {
    name: 'plan exports',
    paths: ['/plan-exports'],
    resources: [],
    why: 'They are mock data for Sentinel. `/plans/:id/json-output` returns the plan.',
  },
  {
    name: 'resources of a workspace',
    paths: ofWorkspace('resources'),
    resources: [],
    why: 'The current state version shows them: see `/workspaces/:id/current-state-version`.',
  },
  {
    name: 'policy evaluations in the language of terraform',
    paths: ['/tf-policy-evaluations'],
    resources: [],
    why: 'Policies are written for OPA: see `/task-stages/:id/policy-evaluations`.',
  },
  {
    name: 'keys and identity providers of an organization',
    paths: [
      ...ofOrganization('hyok-configurations', 'oidc-configurations', 'audit-configuration'),
      '/hyok-configurations',
      '/hyok-customer-key-versions',
      '/hyok-encrypted-data-keys',
      '/oidc-configurations',
    ],
    resources: [
      'tfe_hyok_configuration',
      ...['aws', 'azure', 'gcp', 'vault'].map((cloud) => `tfe_${cloud}_oidc_configuration`),
    ],
    why: 'The service encrypts with its own signing secret, and the operator configures identity providers and the audit trail.',
  },
  {
    name: 'subscriptions and invoices',
    paths: [...ofOrganization('subscription', 'invoices', 'feature-sets'), '/subscriptions', '/feature-sets'],
    resources: [],
    why: 'The service charges for nothing. The entitlement set of an organization shows what it can do.',
  },
  {
    name: 'stacks',
    paths: [
      ...ofOrganization('stacks'),
      '/stacks',
      '/stack-configurations',
      '/stack-deployment-groups',
      '/stack-deployment-runs',
      '/stack-deployment-steps',
      '/stack-diagnostics',
      '/stack-states',
      '/varsets/:id/relationships/stacks',
    ],
    resources: ['tfe_stack', 'tfe_stack_variable_set'],
    why: 'Stacks are planned by programs of their vendor that are not public.',
  },
  {
    name: 'described team tokens',
    paths: ['/teams/:id/authentication-tokens'],
    resources: [],
    why: 'A team has one token. `description` of `tfe_team_token` must be left out.',
  },
];
