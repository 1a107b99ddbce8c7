import { readFileSync } from 'node:fs';

const module = readFileSync(new URL('tfe-provider/go.mod', import.meta.url), 'utf8');

/** The release of the provider that the table below describes. */
export const providerVersion = /terraform-provider-tfe v(\S+)/.exec(module)?.[1] ?? '';

/** An organization that exists before, with the users below as its active members: an invited user cannot be named. */
export const crew = 'crew';
export const users = ['alice', 'bob', 'carol'] as const;

/** A workspace of that organization with a state that has these outputs. */
export const published = 'published';
export const outputs = { greeting: 'hello' } as const;

export const emailOf = (user: string): string => `${user}@example.com`;

/** A resource of the tfe provider as a test walks it: created, planned again, imported, changed and destroyed. */
export interface ProviderResource {
  readonly type: string;
  readonly body: string;
  /** The body after the change, and how the provider brings it about. */
  readonly changed: { readonly to: string; readonly by: 'update' | 'replacement' };
  /** Its import id, from the attributes in the state. None where the provider cannot import it. */
  readonly importId?: (values: Readonly<Record<string, string>>) => string;
  /** Attributes that the provider does not read, so that the first plan after an import sets them. */
  readonly unread?: readonly string[];
  /** The data source of the same name. */
  readonly data?: string;
}

const inOrganization = 'organization = tfe_organization.it.name\n';

/** Replaces parts of a body. Each must be there. */
const change = (body: string, ...parts: readonly (readonly [string, string])[]): string =>
  parts.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`${from} is not in ${text}`);
    return text.replace(from, to);
  }, body);

const updated = (
  type: string,
  body: string,
  parts: readonly (readonly [string, string])[],
  rest: Pick<ProviderResource, 'importId' | 'unread' | 'data'> = {},
): ProviderResource => ({ type, body, changed: { to: change(body, ...parts), by: 'update' }, ...rest });

const replaced = (
  type: string,
  body: string,
  parts: readonly (readonly [string, string])[],
  rest: Pick<ProviderResource, 'importId' | 'unread' | 'data'> = {},
): ProviderResource => ({ type, body, changed: { to: change(body, ...parts), by: 'replacement' }, ...rest });

/** Resources that those below refer to. */
export const dependencies = `
resource "tfe_team" "members" {
  name = "members"
  organization = "${crew}"
}
resource "tfe_team" "many" {
  name = "many"
  organization = "${crew}"
}
resource "tfe_team" "joined" {
  name = "joined"
  ${inOrganization}}
resource "tfe_team" "all" {
  name = "all"
  ${inOrganization}}
resource "tfe_organization_membership" "user" {
  for_each = toset(${JSON.stringify(users.map(emailOf))})
  email = each.key
  ${inOrganization}}
resource "tfe_workspace" "other" {
  name = "other"
  ${inOrganization}}
resource "tfe_workspace" "inheriting" {
  name = "inheriting"
  project_id = tfe_project.it.id
  ${inOrganization}}
resource "tfe_variable_set" "attached" {
  name = "attached"
  ${inOrganization}}
resource "tfe_variable" "of_set" {
  variable_set_id = tfe_variable_set.attached.id
  key = "TOKEN"
  value = "of many"
  category = "env"
}
resource "tfe_project" "other" {
  name = "other"
  ${inOrganization}}
resource "tfe_policy_set" "attached" {
  name = "attached"
  kind = "opa"
  ${inOrganization}}
resource "tfe_agent_pool" "spare" {
  name = "spare"
  ${inOrganization}}
data "tfe_slug" "policies" {
  source_path = "policies"
}
resource "tfe_policy_set" "versioned" {
  name = "versioned"
  kind = "opa"
  slug = data.tfe_slug.policies
  ${inOrganization}}
`;

/** Attributes of those that an import does not read, by address. */
export const unreadOfDependencies: Readonly<Record<string, readonly string[]>> = {
  'tfe_policy_set.versioned': ['slug'],
};

/** The directory that the slug packs. */
export const policyFiles: Readonly<Record<string, string>> = {
  'policies.hcl': 'policy "owners" {\n  query             = "data.owners.deny"\n  enforcement_level = "mandatory"\n}\n',
  'owners.rego': 'package owners\n\ndeny contains "no owner" if not data.parameters.owner\n',
};

const [alice, bob, carol] = users;
const membership = (user: string): string => `tfe_organization_membership.user["${emailOf(user)}"].id`;
const byId = ({ id = '' }: Readonly<Record<string, string>>): string => id;
const expiry = 'expired_at = "2100-01-01T00:00:00Z"';
const laterExpiry: readonly [string, string] = ['2100-01', '2101-01'];

export const resources: readonly ProviderResource[] = [
  updated(
    'tfe_organization',
    'name = "acme"\nemail = "ops@example.com"\nsession_timeout_minutes = 60\nallow_force_delete_workspaces = true\n',
    [
      ['ops@', 'admins@'],
      ['= 60', '= 90'],
      ['= true', '= false'],
    ],
    { importId: byId, data: 'name = tfe_organization.it.name\n' },
  ),
  replaced(
    'tfe_organization_default_settings',
    `default_execution_mode = "agent"\ndefault_agent_pool_id = tfe_agent_pool.it.id\n${inOrganization}`,
    [
      ['"agent"', '"local"'],
      ['default_agent_pool_id = tfe_agent_pool.it.id\n', ''],
    ],
    { importId: ({ organization = '' }) => organization },
  ),
  replaced('tfe_organization_membership', `email = "guest@example.com"\n${inOrganization}`, [['guest@', 'visitor@']], {
    importId: byId,
    data: `email = tfe_organization_membership.it.email\n${inOrganization}`,
  }),
  replaced('tfe_organization_token', `${expiry}\n${inOrganization}`, [laterExpiry], {
    importId: ({ organization = '' }) => organization,
  }),
  replaced('tfe_audit_trail_token', `${expiry}\n${inOrganization}`, [laterExpiry], {
    importId: ({ organization = '' }) => organization,
  }),
  updated(
    'tfe_team',
    `name = "platform"
visibility = "organization"
sso_team_id = "of-platform"
organization_access {
  read_workspaces = true
  manage_policies = true
  manage_workspaces = true
  manage_projects = true
  delegate_policy_overrides = true
}
${inOrganization}`,
    [
      ['"platform"', '"plant / area 7"'],
      ['"organization"', '"secret"'],
      ['of-platform', 'of-plant'],
      ['manage_policies = true', 'manage_policies = false'],
    ],
    { importId: ({ id, organization }) => `${organization}/${id}`, data: `name = tfe_team.it.name\n${inOrganization}` },
  ),
  updated(
    'tfe_organization_run_task',
    `name = "scanner"\nurl = "https://scanner.example/check"\nhmac_key = "a key of ours"\ndescription = "Scans"\n${inOrganization}`,
    [
      ['"scanner"', '"checker"'],
      ['/check"', '/other"'],
      ['a key of ours', 'another key'],
      ['"Scans"', '"Checks"'],
    ],
    {
      importId: ({ name, organization }) => `${organization}/${name}`,
      unread: ['hmac_key'],
      data: `name = tfe_organization_run_task.it.name\n${inOrganization}`,
    },
  ),
  updated(
    'tfe_workspace_run_task',
    'workspace_id = tfe_workspace.other.id\ntask_id = tfe_organization_run_task.it.id\nenforcement_level = "advisory"\nstages = ["post_plan"]\n',
    [
      ['"advisory"', '"mandatory"'],
      ['["post_plan"]', '["pre_plan", "pre_apply"]'],
    ],
    {
      importId: () => 'acme/other/scanner',
      data: 'workspace_id = tfe_workspace.other.id\ntask_id = tfe_workspace_run_task.it.task_id\n',
    },
  ),
  replaced(
    'tfe_run_trigger',
    'workspace_id = tfe_workspace.other.id\nsourceable_id = tfe_workspace.it.id\n',
    [
      ['other.id', 'it.id'],
      ['sourceable_id = tfe_workspace.it', 'sourceable_id = tfe_workspace.other'],
    ],
    { importId: byId },
  ),
  updated(
    'tfe_notification_configuration',
    'workspace_id = tfe_workspace.other.id\nname = "channel"\ndestination_type = "generic"\nurl = "https://hooks.example/1"\ntoken = "a key of ours"\ntriggers = ["run:created", "run:errored"]\n',
    [
      ['"channel"', '"our channel"'],
      ['/1"', '/2"'],
      ['a key of ours', 'another key'],
      ['"run:errored"', '"run:needs_attention"'],
    ],
    { importId: byId, unread: ['token'] },
  ),
  updated(
    'tfe_project_notification_configuration',
    'project_id = tfe_project.it.id\nname = "channel"\ndestination_type = "generic"\nurl = "https://hooks.example/1"\ntoken = "a key of ours"\ntriggers = ["run:created"]\n',
    [
      ['/1"', '/2"'],
      ['a key of ours', 'another key'],
    ],
    { importId: byId, unread: ['token'] },
  ),
  updated(
    'tfe_team_notification_configuration',
    'team_id = tfe_team.all.id\nname = "requests"\ndestination_type = "generic"\nurl = "https://hooks.example/1"\ntoken = "a key of ours"\ntriggers = ["change_request:created"]\n',
    [
      ['"requests"', '"our requests"'],
      ['/1"', '/2"'],
      ['a key of ours', 'another key'],
      ['triggers = ["change_request:created"]\n', ''],
    ],
    { importId: byId, unread: ['token'] },
  ),
  replaced('tfe_team_member', `team_id = tfe_team.members.id\nusername = "${alice}"\n`, [[alice, bob]], {
    importId: ({ team_id, username }) => `${team_id}/${username}`,
  }),
  updated('tfe_team_members', `team_id = tfe_team.many.id\nusernames = ["${alice}", "${bob}"]\n`, [[alice, carol]], {
    importId: byId,
  }),
  replaced(
    'tfe_team_organization_member',
    `team_id = tfe_team.joined.id\norganization_membership_id = ${membership(alice)}\n`,
    [[alice, bob]],
    { importId: ({ team_id, organization_membership_id }) => `${team_id}/${organization_membership_id}` },
  ),
  updated(
    'tfe_team_organization_members',
    `team_id = tfe_team.all.id\norganization_membership_ids = [${membership(alice)}, ${membership(bob)}]\n`,
    [[alice, carol]],
    { importId: byId },
  ),
  replaced('tfe_team_token', `team_id = tfe_team.it.id\n${expiry}\n`, [laterExpiry], {
    importId: ({ team_id = '' }) => team_id,
  }),
  updated(
    'tfe_team_access',
    `team_id = tfe_team.it.id
workspace_id = tfe_workspace.it.id
permissions {
  runs = "plan"
  variables = "read"
  state_versions = "read-outputs"
  sentinel_mocks = "none"
  workspace_locking = true
  run_tasks = false
}
`,
    [
      ['"plan"', '"apply"'],
      ['= false', '= true'],
    ],
    {
      importId: ({ id }) => `acme/network/${id}`,
      data: 'team_id = tfe_team_access.it.team_id\nworkspace_id = tfe_team_access.it.workspace_id\n',
    },
  ),
  updated(
    'tfe_project',
    `name = "Networks"\ndescription = "What packets cross"\ntags = { stage = "test" }\nauto_destroy_activity_duration = "14d"\n${inOrganization}`,
    [
      ['"Networks"', '"Networks 2"'],
      ['14d', '12h'],
      ['What packets', 'What no packets'],
      ['"test"', '"prod"'],
    ],
    { importId: byId, data: `name = tfe_project.it.name\n${inOrganization}` },
  ),
  updated(
    'tfe_project_settings',
    'project_id = tfe_project.other.id\ndefault_execution_mode = "agent"\ndefault_agent_pool_id = tfe_agent_pool.it.id\n',
    [
      ['"agent"', '"local"'],
      ['default_agent_pool_id = tfe_agent_pool.it.id\n', ''],
    ],
    { importId: byId },
  ),
  updated(
    'tfe_team_project_access',
    `team_id = tfe_team.it.id
project_id = tfe_project.it.id
access = "custom"
project_access {
  settings = "read"
  teams = "none"
  variable_sets = "read"
}
workspace_access {
  runs = "plan"
  variables = "read"
  state_versions = "read-outputs"
  sentinel_mocks = "none"
  create = true
  locking = true
  move = false
  delete = false
  run_tasks = false
}
`,
    [
      ['settings = "read"', 'settings = "update"'],
      ['"plan"', '"apply"'],
      ['move = false', 'move = true'],
    ],
    { importId: byId },
  ),
  updated(
    'tfe_workspace',
    `name = "network"
description = "What packets cross"
allow_destroy_plan = false
auto_apply = true
file_triggers_enabled = true
queue_all_runs = true
speculative_enabled = false
structured_run_output_enabled = true
source_name = "a pipeline"
source_url = "https://example.com/pipelines/1"
terraform_version = "1.11.4"
trigger_prefixes = ["modules", "shared"]
working_directory = "site/one"
auto_destroy_at = "2100-01-01T00:00:00Z"
project_id = tfe_project.it.id
tag_names = ["network", "site:one"]
tags = {
  stage = "test"
  team = ""
}
${inOrganization}`,
    [
      ['= "network"', '= "network-2"'],
      ['What packets', 'What no packets'],
      ['allow_destroy_plan = false', 'allow_destroy_plan = true'],
      ['auto_apply = true', 'auto_apply = false'],
      ['queue_all_runs = true', 'queue_all_runs = false'],
      ['speculative_enabled = false', 'speculative_enabled = true'],
      ['output_enabled = true', 'output_enabled = false'],
      ['"1.11.4"', '"~> 1.11.0"'],
      ['trigger_prefixes = ["modules", "shared"]', 'trigger_patterns = ["/modules/**/*", "*.tf"]'],
      ['auto_destroy_at = "2100-01-01T00:00:00Z"', 'auto_destroy_activity_duration = "14d"'],
      ['site/one', 'site/two'],
      ['tfe_project.it', 'tfe_project.other'],
      ['"network", "site', '"net", "site'],
      ['stage = "test"\n', 'stage = "live"\nzone = "1"\n'],
      ['  team = ""\n', ''],
    ],
    { importId: byId, data: `name = tfe_workspace.it.name\n${inOrganization}` },
  ),
  updated(
    'tfe_workspace_settings',
    'workspace_id = tfe_workspace.other.id\nexecution_mode = "agent"\nagent_pool_id = tfe_agent_pool.it.id\nglobal_remote_state = false\nauto_apply = true\ndescription = "Set elsewhere"\n',
    [
      ['"agent"', '"local"'],
      ['agent_pool_id = tfe_agent_pool.it.id\n', ''],
      ['remote_state = false', 'remote_state = true'],
      ['auto_apply = true', 'auto_apply = false'],
    ],
    { importId: byId },
  ),
  updated(
    'tfe_variable',
    'workspace_id = tfe_workspace.it.id\nkey = "region"\nvalue = "eu"\ncategory = "terraform"\ndescription = "Where"\n',
    [
      ['"eu"', '"us"'],
      ['"terraform"\n', '"terraform"\nhcl = true\n'],
      ['"Where"', '"Where to"'],
    ],
    { importId: ({ id, variable_set_id: set }) => `acme/${set || 'network'}/${id}` },
  ),
  updated(
    'tfe_variable_set',
    `name = "shared"
description = "For many"
priority = false
${inOrganization}`,
    [
      ['"shared"', '"shared-2"'],
      ['For many', 'For most'],
      ['priority = false', 'priority = true'],
    ],
    { importId: byId, data: `name = tfe_variable_set.it.name\n${inOrganization}` },
  ),
  replaced(
    'tfe_workspace_variable_set',
    'variable_set_id = tfe_variable_set.attached.id\nworkspace_id = tfe_workspace.it.id\n',
    [['tfe_workspace.it', 'tfe_workspace.other']],
    { importId: () => 'acme/network/attached' },
  ),
  replaced(
    'tfe_project_variable_set',
    'variable_set_id = tfe_variable_set.attached.id\nproject_id = tfe_workspace.it.project_id\n',
    [['tfe_variable_set.attached', 'tfe_variable_set.it']],
    { importId: ({ project_id }) => `acme/${project_id}/attached` },
  ),
  updated(
    'tfe_policy',
    `name = "tags"
kind = "opa"
description = "Everything has tags"
query = "data.tags.deny"
enforce_mode = "advisory"
policy = "package tags\\n\\ndeny := []\\n"
${inOrganization}`,
    [
      ['"Everything', '"Nearly everything'],
      ['"advisory"', '"mandatory"'],
      ['deny := []\\n"', 'deny := [1]\\n"'],
    ],
    { importId: ({ id, organization }) => `${organization}/${id}`, unread: ['query'] },
  ),
  updated(
    'tfe_sentinel_policy',
    `name = "older"\npolicy = "main = rule { true }"\nenforce_mode = "advisory"\n${inOrganization}`,
    [['"advisory"', '"hard-mandatory"']],
    { importId: ({ id, organization }) => `${organization}/${id}` },
  ),
  updated(
    'tfe_policy_set',
    `name = "baseline"
kind = "opa"
description = "For all"
overridable = false
policy_ids = [tfe_policy.it.id]
workspace_ids = [tfe_workspace.it.id]
${inOrganization}`,
    [
      ['"baseline"', '"baseline-2"'],
      ['For all', 'For the other'],
      ['overridable = false', 'overridable = true'],
      ['tfe_workspace.it', 'tfe_workspace.other'],
    ],
    { importId: byId, data: `name = tfe_policy_set.it.name\n${inOrganization}` },
  ),
  updated(
    'tfe_policy_set_parameter',
    'policy_set_id = tfe_policy_set.versioned.id\nkey = "owner"\nvalue = "us"\n',
    [['"us"', '"them"']],
    { importId: ({ id, policy_set_id }) => `${policy_set_id}/${id}` },
  ),
  replaced(
    'tfe_workspace_policy_set',
    'policy_set_id = tfe_policy_set.attached.id\nworkspace_id = tfe_workspace.it.id\n',
    [['tfe_workspace.it', 'tfe_workspace.other']],
    { importId: () => 'acme/network/attached' },
  ),
  replaced(
    'tfe_project_policy_set',
    'policy_set_id = tfe_policy_set.attached.id\nproject_id = tfe_project.it.id\n',
    [['tfe_project.it', 'tfe_project.other']],
    { importId: ({ project_id }) => `acme/${project_id}/attached` },
  ),
  replaced(
    'tfe_workspace_policy_set_exclusion',
    'policy_set_id = tfe_policy_set.versioned.id\nworkspace_id = tfe_workspace.it.id\n',
    [['tfe_workspace.it', 'tfe_workspace.other']],
    { importId: () => 'acme/network/versioned' },
  ),
  replaced(
    'tfe_project_policy_set_exclusion',
    'policy_set_id = tfe_policy_set.versioned.id\nproject_id = tfe_project.it.id\n',
    [['tfe_project.it', 'tfe_project.other']],
    { importId: ({ project_id, policy_set_id }) => `${project_id}/${policy_set_id}` },
  ),
  replaced(
    'tfe_tag_policy_set',
    'policy_set_id = tfe_policy_set.versioned.id\nkey = "stage"\nvalue = "test"\n',
    [['value = "test"\n', '']],
    { importId: byId },
  ),
  replaced(
    'tfe_tag_policy_set_exclusion',
    'policy_set_id = tfe_policy_set.versioned.id\nkey = "team"\n',
    [['"team"', '"zone"']],
    { importId: byId },
  ),
  updated(
    'tfe_agent_pool',
    `name = "machines"\norganization_scoped = true\n${inOrganization}`,
    [
      ['"machines"', '"machines-2"'],
      ['= true', '= false'],
    ],
    { importId: byId, data: `name = tfe_agent_pool.it.name\n${inOrganization}` },
  ),
  replaced('tfe_agent_token', 'agent_pool_id = tfe_agent_pool.it.id\ndescription = "one"\n', [['"one"', '"two"']]),
  updated(
    'tfe_agent_pool_allowed_projects',
    'agent_pool_id = tfe_agent_pool.it.id\nallowed_project_ids = [tfe_project.it.id]\n',
    [['tfe_project.it', 'tfe_project.other']],
    { importId: byId },
  ),
  updated(
    'tfe_agent_pool_allowed_workspaces',
    'agent_pool_id = tfe_agent_pool.it.id\nallowed_workspace_ids = [tfe_workspace.it.id]\n',
    [['tfe_workspace.it.id', 'tfe_workspace.it.id, tfe_workspace.other.id']],
    { importId: byId },
  ),
  updated(
    'tfe_agent_pool_excluded_workspaces',
    'agent_pool_id = tfe_agent_pool.spare.id\nexcluded_workspace_ids = [tfe_workspace.other.id]\n',
    [['tfe_workspace.other', 'tfe_workspace.it']],
    { importId: byId },
  ),
  replaced(
    'tfe_data_retention_policy',
    'workspace_id = tfe_workspace.other.id\ndelete_older_than {\n  days = 42\n}\n',
    [['= 42', '= 43']],
    { importId: () => 'acme/other' },
  ),
];

/** Resources of the provider that are served and not walked, and why. */
export const notWalked: Readonly<Record<string, string>> = { tfe_workspace_run: 'waits for agents' };

/** Data sources that no resource has the name of, read after everything above. */
export const otherData: readonly { readonly type: string; readonly body: string }[] = [
  { type: 'tfe_organizations', body: 'depends_on = [tfe_organization.it]\n' },
  { type: 'tfe_organization_members', body: inOrganization },
  { type: 'tfe_teams', body: inOrganization },
  {
    type: 'tfe_workspace_ids',
    body: `names = ["net*"]\ntag_names = ["site:one"]\nexclude_tags = ["nothing"]\ntag_filters {\n  include = { stage = "test" }\n  exclude = { zone = "1" }\n}\ndepends_on = [tfe_workspace.it]\n${inOrganization}`,
  },
  { type: 'tfe_projects', body: `depends_on = [tfe_project.it]\n${inOrganization}` },
  { type: 'tfe_current_user', body: '' },
  { type: 'tfe_ip_ranges', body: '' },
  { type: 'tfe_organization_tags', body: `depends_on = [tfe_workspace.it]\n${inOrganization}` },
  { type: 'tfe_slug', body: 'source_path = "policies"\n' },
  { type: 'tfe_outputs', body: `organization = "${crew}"\nworkspace = "${published}"\n` },
  { type: 'tfe_variables', body: 'workspace_id = tfe_variable.it.workspace_id\n' },
];
