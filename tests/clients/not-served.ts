/** A part of this API family that the service does not serve. */
export interface NotServed {
  readonly name: string;
  /** An endpoint of that part, without which there is none of it. */
  readonly path?: string;
  readonly resources: readonly string[];
  readonly why: string;
}

const notYet = 'Not yet.';

export const notServed: readonly NotServed[] = [
  {
    name: 'projects',
    path: '/organizations/:organization/projects',
    resources: ['tfe_project', 'tfe_project_settings', 'tfe_team_project_access', 'tfe_project_policy_set'],
    why: `${notYet} This includes \`cloud { workspaces { project } }\`.`,
  },
  {
    name: 'tags',
    path: '/organizations/:organization/tags',
    resources: ['tfe_tag_policy_set'],
    why: `${notYet} This includes \`cloud { workspaces { tags } }\`, and \`tags\` and \`tag_names\` of \`tfe_workspace\`.`,
  },
  {
    name: 'variable sets',
    path: '/organizations/:organization/varsets',
    resources: ['tfe_variable_set', 'tfe_workspace_variable_set', 'tfe_project_variable_set'],
    why: notYet,
  },
  {
    name: 'run tasks',
    path: '/organizations/:organization/tasks',
    resources: ['tfe_organization_run_task', 'tfe_organization_run_task_global_settings', 'tfe_workspace_run_task'],
    why: notYet,
  },
  {
    name: 'policy sets from repositories',
    resources: [],
    why: `${notYet} This includes \`vcs_repo\` and \`policies_path\` of \`tfe_policy_set\`. Use \`slug\`.`,
  },
  {
    name: 'registry',
    path: '/organizations/:organization/registry-modules',
    resources: ['tfe_registry_module', 'tfe_registry_provider', 'tfe_registry_gpg_key', 'tfe_no_code_module'],
    why: 'Modules come from Git sources, providers from the public registry or a mirror.',
  },
  {
    name: 'notification configurations',
    path: '/workspaces/:id/notification-configurations',
    resources: ['tfe_notification_configuration', 'tfe_team_notification_configuration'],
    why: 'The service calls no other service. The audit trail and the metrics show what happened.',
  },
  {
    name: 'OAuth clients',
    path: '/organizations/:organization/oauth-clients',
    resources: ['tfe_oauth_client', 'tfe_project_oauth_client'],
    why: 'The operator keeps the credentials of repositories in files ([repositories](version-control.md)).',
  },
  {
    name: 'SSH keys',
    path: '/organizations/:organization/ssh-keys',
    resources: ['tfe_ssh_key'],
    why: 'Keys for fetching modules stay on the machines of the agents.',
  },
  {
    name: 'run triggers',
    path: '/workspaces/:id/run-triggers',
    resources: ['tfe_run_trigger'],
    why: 'No run starts a run of another workspace. Pipelines create runs through the API.',
  },
  {
    name: 'cost estimation',
    path: '/cost-estimates/:id',
    resources: [],
    why: 'It needs the price lists of cloud vendors. A policy can judge the plan instead.',
  },
  {
    name: 'SAML and SCIM',
    path: '/admin/saml-settings',
    resources: ['tfe_saml_settings', 'tfe_scim_settings', 'tfe_scim_token', 'tfe_scim_group_mapping'],
    why: 'Users, memberships and teams are managed through the API.',
  },
  {
    name: 'stacks',
    path: '/stacks',
    resources: ['tfe_stack', 'tfe_stack_variable_set'],
    why: 'Stacks are planned by programs of their vendor that are not public.',
  },
  {
    name: 'described team tokens',
    path: '/teams/:id/authentication-tokens',
    resources: [],
    why: 'A team has one token. `description` of `tfe_team_token` must be left out.',
  },
];
