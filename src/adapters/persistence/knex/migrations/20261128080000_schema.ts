import type { Knex } from 'knex';
import { type Columns, columnsFor } from './shared/columns.js';

interface Area {
  readonly tables: Readonly<Record<string, (column: Columns, table: Knex.CreateTableBuilder) => void>>;
  readonly indexes?: readonly string[];
  readonly triggers?: Readonly<Record<string, Trigger>>;
}

/** The SQL after `create trigger NAME`. On Postgres, the trigger calls a function of the same name, which has the body. */
interface Trigger {
  readonly sqlite?: string;
  readonly postgres?: readonly [trigger: string, body: string];
}

/** Runs once for each row, on Postgres `together` once for all rows that a statement deletes. */
function after(
  event: 'insert' | 'delete' | { readonly changes: readonly string[] },
  on: string,
  statements: readonly string[],
  together?: readonly string[],
): Trigger {
  const sequence = (each: readonly string[]) => each.map((statement) => `${statement};`).join(' ');
  const when =
    typeof event === 'string'
      ? `after ${event} on ${on} for each row`
      : `after update of ${event.changes.join(', ')} on ${on} for each row when (${anyChanged(event.changes)})`;
  return {
    sqlite: `${when} begin ${sequence(statements)} end`,
    postgres:
      together === undefined
        ? [when, `${sequence(statements)} return null;`]
        : [
            `after delete on ${on} referencing old table as gone for each statement`,
            `${sequence(together)} return null;`,
          ],
  };
}

/** Statements name columns that they leave as they are. */
const anyChanged = (columns: readonly string[]): string =>
  columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');

// The four main areas come first.

const configurationVersions: Area = {
  tables: {
    configuration_versions: (column) => {
      column.id();
      column.reference('workspace_id', 'workspaces.id');
      column.integer('sequence');
      column.text('status', 'origin', 'source');
      column.flag('auto_queue_runs', 'speculative', 'provisional');
      column.maybeText('error', 'error_message');
      column.text('status_timestamps');
      column.maybeText('bundle_key');
      column.maybeLong('bundle_bytes');
      column.maybeText('bundle_sha256', 'ingress_attributes_id');
      column.text('created_at');
      column.revision();
      column.maybeText('created_by_kind', 'created_by_id', 'purge_at');
    },
    ingress_attributes: (column) => {
      column.id();
      column.reference('configuration_version_id', 'configuration_versions.id');
      column.text('branch', 'clone_url');
      column.maybeText('commit_message');
      column.text('commit_sha');
      column.maybeText('commit_url', 'compare_url');
      column.text('identifier');
      column.flag('is_pull_request', 'on_default_branch');
      column.maybeInteger('pull_request_number');
      column.maybeText('pull_request_url', 'pull_request_title', 'pull_request_body', 'tag', 'sender_username');
      column.maybeText('sender_avatar_url', 'sender_html_url');
    },
  },
  indexes: [
    'unique index configuration_versions_sequence on configuration_versions (workspace_id, sequence)',
    'index configuration_versions_bundle on configuration_versions (bundle_key)',
    `index configuration_versions_uploaded on configuration_versions (created_at, id) where status = 'uploaded'`,
    `index configuration_versions_kept on configuration_versions (workspace_id, created_at, id) where status = 'uploaded'`,
    'unique index ingress_attributes_of_version on ingress_attributes (configuration_version_id)',
    'index ingress_attributes_commit on ingress_attributes (commit_sha)',
  ],
};

const ofActiveTeam = 'from teams as t where t.id = new.team_id and t.deleted_at is null';

const teamAccess: Area = {
  tables: {
    team_workspaces: (column) => {
      column.id();
      column.reference('team_id', 'teams.id');
      column.reference('workspace_id', 'workspaces.id');
      column.text('access');
      // Null unless the access is custom, as are the flags.
      column.maybeText('runs', 'variables', 'state_versions', 'policy_mocks');
      column.maybeFlag('workspace_locking', 'run_tasks');
      column.revision();
      // The team's, while it is not deleted: see `lists`.
      column.maybeText('listed_name', 'listed_visibility');
      column.maybeFlag('policy_overrides');
    },
    team_projects: (column) => {
      column.id();
      column.reference('team_id', 'teams.id');
      column.reference('project_id', 'projects.id');
      column.text('level');
      // JSON; null unless the level is custom.
      column.maybeText('permissions');
      column.revision();
    },
  },
  indexes: [
    'unique index team_workspaces_workspace_id on team_workspaces (team_id, workspace_id)',
    // The access of some teams to some workspaces is looked up by both, or a workspace of many teams would be read whole.
    'index team_workspaces_of_both on team_workspaces (workspace_id, team_id)',
    `index team_workspaces_listed on team_workspaces (workspace_id, listed_name, team_id, id, listed_visibility)
       where listed_name is not null`,
    'unique index team_projects_project_id on team_projects (team_id, project_id)',
    'index team_projects_of_project on team_projects (project_id, team_id)',
  ],
  triggers: {
    team_workspaces_named: after('insert', 'team_workspaces', [
      `update team_workspaces set listed_name = (select t.name_key ${ofActiveTeam}),
         listed_visibility = (select t.visibility ${ofActiveTeam}) where id = new.id`,
    ]),
  },
};

const owners = ['user_id', 'team_id', 'organization_id'];

const tokens: Area = {
  tables: {
    api_tokens: (column, table) => {
      column.id();
      column.maybeReference('user_id', 'users.id');
      column.maybeReference('team_id', 'teams.id');
      column.maybeReference('organization_id', 'organizations.id');
      column.text('secret_digest');
      column.maybeText('description', 'created_by_kind', 'created_by_id');
      column.text('created_at');
      column.maybeText('expires_at', 'last_used_at');
      table.check(`${owners.map((owner) => `case when ${owner} is null then 0 else 1 end`).join(' + ')} = 1`);
      // The organization and the name of the token's team, while it is not deleted: see `lists`.
      column.maybeText('listed_in', 'listed_name');
      column.flag('audits', 'made_in_session').defaultTo(false);
    },
  },
  indexes: [
    'unique index api_tokens_secret_digest on api_tokens (secret_digest)',
    'index api_tokens_of_user on api_tokens (user_id, created_at, id)',
    'unique index api_tokens_of_team on api_tokens (team_id) where team_id is not null',
    `index api_tokens_by_expiry on api_tokens (listed_in, (expires_at is null), expires_at, id, listed_name)
       where listed_in is not null`,
    'index api_tokens_by_name on api_tokens (listed_in, listed_name, id) where listed_in is not null',
    // Also scanned when the list is sorted by creator.
    `index api_tokens_by_use on api_tokens
       (listed_in, (last_used_at is null), last_used_at, id, created_by_kind, created_by_id) where listed_in is not null`,
    'unique index api_tokens_of_organization on api_tokens (organization_id, audits) where organization_id is not null',
  ],
  triggers: {
    api_tokens_named: after('insert', 'api_tokens', [
      `update api_tokens set listed_in = (select t.organization_id ${ofActiveTeam}),
         listed_name = (select t.name_key ${ofActiveTeam}) where id = new.id and new.team_id is not null`,
    ]),
  },
};

const policyOutcomes: Area = {
  tables: {
    task_stages: (column) => {
      column.id();
      column.reference('run_id', 'runs.id');
      column.text('stage', 'status', 'status_timestamps', 'created_at', 'updated_at');
      column.revision();
      // The number of results: those of a stage without run tasks are not queried.
      column.integer('results').defaultTo(0);
    },
    policy_evaluations: (column) => {
      column.id();
      column.reference('task_stage_id', 'task_stages.id');
      column.text('kind', 'status', 'policy_tool_version', 'policy_sets', 'result_count');
      column.flag('overridable');
      column.text('status_timestamps', 'created_at', 'updated_at');
    },
    policy_set_outcomes: (column) => {
      column.id();
      column.reference('policy_evaluation_id', 'policy_evaluations.id');
      column.integer('position');
      column.text('policy_set_name');
      column.maybeText('policy_set_description');
      column.flag('overridable');
      column.text('policy_tool_version');
      column.maybeText('error');
      column.text('warnings');
      // The verdict over its policies, whose results are never changed.
      column.text('status');
      column.maybeText('enforcement_level');
    },
    policy_outcomes: (column, table) => {
      column.reference('policy_set_outcome_id', 'policy_set_outcomes.id');
      column.integer('position');
      column.text('policy_name', 'description');
      column.maybeText('query');
      column.text('status');
      column.maybeText('enforcement_level', 'output');
      table.primary(['policy_set_outcome_id', 'position']);
      // Only an errored outcome has no level.
      table.check("(status = 'errored') = (enforcement_level is null)");
    },
  },
  indexes: [
    'unique index task_stages_of_run on task_stages (run_id, stage)',
    'index policy_evaluations_of_stage on policy_evaluations (task_stage_id, kind)',
    'unique index policy_set_outcomes_position on policy_set_outcomes (policy_evaluation_id, position)',
    // Has the columns that filters ask about, so that the rows themselves are not read.
    `index policy_set_outcomes_verdicts on policy_set_outcomes
       (policy_evaluation_id, position, status, enforcement_level, id)`,
  ],
};

// The supporting areas.

const users: Area = {
  tables: {
    users: (column) => {
      column.id();
      column.text('username', 'email');
      column.flag('site_administrator', 'suspended');
      column.text('created_at');
      column.maybeText('deleted_at');
      // False for an invited address that no user has yet.
      column.flag('registered').defaultTo(true);
    },
  },
  indexes: [
    'unique index users_username on users (lower(username)) where deleted_at is null',
    'unique index users_email on users (lower(email)) where deleted_at is null',
    `index users_listed on users (lower(username), id, username, deleted_at, registered)
       where deleted_at is null and registered = TRUE`,
  ],
};

const organizations: Area = {
  tables: {
    organizations: (column) => {
      column.id();
      column.text('name', 'email', 'created_at');
      column.maybeText('deleted_at');
      column.text('default_execution_mode').defaultTo('remote');
      column.maybeText('default_agent_pool_id');
      // JSON with the settings that were named; the others have their defaults.
      column.text('settings').defaultTo('{}');
      // Not among the settings, because standing reads them with each request.
      column.flag('user_tokens_enabled').defaultTo(true);
      column.maybeInteger('session_timeout', 'session_remember');
    },
    organization_memberships: (column) => {
      column.id();
      column.reference('organization_id', 'organizations.id');
      column.reference('user_id', 'users.id');
      column.text('created_at');
      // The invited address or the username, while the user is not deleted: see `lists`.
      column.maybeText('listed_name', 'invited_email');
      // Not a reference: the rule that ends what a sign-in made reads it after the identity is deleted.
      column.maybeText('identity_id');
    },
  },
  indexes: [
    'unique index organizations_name on organizations (name) where deleted_at is null',
    'unique index organization_memberships_user_id on organization_memberships (organization_id, user_id)',
    'index organization_memberships_of_user on organization_memberships (user_id)',
    `index organization_memberships_listed on organization_memberships (organization_id, listed_name, id)
       where listed_name is not null`,
    `index organization_memberships_invited on organization_memberships (user_id, id) where invited_email is not null`,
    `index organization_memberships_by_status on organization_memberships
       (organization_id, (invited_email is null), listed_name, id, invited_email) where listed_name is not null`,
    'index memberships_by_sign_in on organization_memberships (user_id) where identity_id is not null',
  ],
  triggers: {
    organizations_project: after('insert', 'organizations', [
      `insert into projects (id, organization_id, name, description, created_at, updated_at, revision)
       select 'prj-' || substr(new.id, 5), new.id, 'Default Project', '', new.created_at, new.created_at, 0`,
    ]),
  },
};

const teams: Area = {
  tables: {
    teams: (column) => {
      column.id();
      column.reference('organization_id', 'organizations.id');
      column.text('name', 'visibility');
      column.flag('members_manage_token');
      column.text('organization_access');
      column.flag('is_owners');
      column.text('created_at');
      column.revision();
      column.maybeText('deleted_at');
      // The name in lower case, of whatever alphabet: the databases do not agree on it.
      column.text('name_key');
      column.maybeText('sso_team_id');
    },
    team_members: (column, table) => {
      column.reference('team_id', 'teams.id');
      column.reference('user_id', 'users.id');
      column.text('organization_id');
      table.primary(['team_id', 'user_id']);
    },
  },
  indexes: [
    'index teams_of_organization on teams (organization_id)',
    // With every column that a list asks about, even where all rows of the index have the same value: SQLite then does not
    // read the table.
    'index teams_listed on teams (organization_id, name_key, id, deleted_at) where deleted_at is null',
    `index teams_visible on teams (organization_id, name_key, id, visibility, deleted_at)
       where deleted_at is null and visibility = 'organization'`,
    // A name is free again once its bearer is deleted.
    'unique index teams_name_key on teams (organization_id, name_key) where deleted_at is null',
    'index team_members_of_user on team_members (user_id, organization_id)',
  ],
};

const projects: Area = {
  tables: {
    projects: (column) => {
      column.id();
      column.reference('organization_id', 'organizations.id');
      column.text('name', 'description', 'created_at', 'updated_at');
      column.revision();
    },
  },
  indexes: [
    'unique index projects_name on projects (organization_id, name)',
    'index projects_listed on projects (organization_id, lower(name), id, name)',
  ],
};

const workspaces: Area = {
  tables: {
    workspaces: (column) => {
      column.id();
      column.reference('organization_id', 'organizations.id');
      column.text('name');
      column.maybeText('description');
      column.flag('auto_apply');
      column.text('execution_mode', 'terraform_version', 'working_directory');
      column.maybeText('lock_by_kind', 'lock_by_id', 'lock_reason', 'locked_at', 'current_configuration_version_id');
      column.integer('last_sequence');
      column.text('created_at', 'updated_at');
      column.revision();
      column.maybeText('deleted_at', 'agent_pool_id', 'clone_url', 'branch', 'credential', 'webhook_id', 'webhook_key');
      column.maybeText('linked_by_kind', 'linked_by_id');
      column.integer('last_run_sequence', 'last_state_sequence').defaultTo(0);
      column.flag('inherits_execution_mode').defaultTo(false);
      column.flag('allow_destroy_plan').defaultTo(true);
      column.flag('auto_apply_run_trigger', 'assessments_enabled').defaultTo(false);
      column.maybeText('auto_destroy_at', 'auto_destroy_by_kind', 'auto_destroy_by_id');
      column.flag('file_triggers_enabled').defaultTo(true);
      column.flag('global_remote_state', 'queue_all_runs').defaultTo(false);
      column.text('source').defaultTo('tfe-api');
      column.maybeText('source_name', 'source_url');
      column.flag('speculative_enabled').defaultTo(true);
      column.flag('structured_run_output_enabled').defaultTo(false);
      column.text('trigger_prefixes', 'trigger_patterns').defaultTo('[]');
      column.text('project_id');
      // Null without a policy. A policy without days keeps everything.
      column.maybeText('retention_id');
      column.maybeInteger('retention_days');
      column.maybeText('auto_destroy_activity_duration');
    },
    workspace_state_consumers: (column, table) => {
      column.reference('workspace_id', 'workspaces.id');
      column.reference('consumer_id', 'workspaces.id');
      table.primary(['workspace_id', 'consumer_id']);
    },
  },
  indexes: [
    'unique index workspaces_name on workspaces (organization_id, name) where deleted_at is null',
    'unique index workspaces_webhook on workspaces (webhook_id) where webhook_id is not null',
    'index workspaces_agent_pool on workspaces (agent_pool_id) where agent_pool_id is not null',
    'index workspaces_of_organization on workspaces (organization_id)',
    'index workspaces_listed on workspaces (organization_id, lower(name), id, name, deleted_at) where deleted_at is null',
    'index workspaces_destroyed_at on workspaces (auto_destroy_at) where auto_destroy_at is not null',
    'index workspaces_of_project on workspaces (project_id, lower(name), id, name, organization_id, deleted_at)',
    // Only workspaces with a policy that removes.
    'index workspaces_retention on workspaces (id) where retention_days is not null',
    'index workspace_state_consumers_of_consumer on workspace_state_consumers (consumer_id)',
  ],
};

const bindings = (owner: 'workspace' | 'project') => (column: Columns) => {
  column.id();
  column.reference('organization_id', 'organizations.id');
  column.reference(`${owner}_id`, `${owner}s.id`);
  column.text('key', 'value', 'created_at');
};

const tags: Area = {
  tables: {
    tags: (column) => {
      column.id();
      column.reference('organization_id', 'organizations.id');
      column.text('name', 'created_at');
    },
    workspace_tags: (column, table) => {
      column.reference('workspace_id', 'workspaces.id');
      column.reference('tag_id', 'tags.id');
      table.primary(['workspace_id', 'tag_id']);
    },
    workspace_tag_bindings: bindings('workspace'),
    project_tag_bindings: bindings('project'),
  },
  indexes: [
    'unique index tags_name on tags (organization_id, name)',
    'index workspace_tags_of_tag on workspace_tags (tag_id, workspace_id)',
    'unique index workspace_tag_bindings_key on workspace_tag_bindings (workspace_id, key)',
    'index workspace_tag_bindings_value on workspace_tag_bindings (organization_id, key, value, workspace_id)',
    'unique index project_tag_bindings_key on project_tag_bindings (project_id, key)',
    'index project_tag_bindings_value on project_tag_bindings (organization_id, key, value, project_id)',
  ],
};

/**
 * Short columns come before the value, so that adding up sizes, or finding values sealed with another key, reads none of the
 * values.
 */
const variablesOf = (owner: 'workspace' | 'variable_set') => (column: Columns) => {
  column.id();
  column.reference(`${owner}_id`, `${owner}s.id`);
  column.text('key', 'category');
  column.flag('hcl', 'sensitive');
  column.text('created_at');
  column.revision();
  column.integer('size');
  // The prefix of the sealed value, which names its key.
  column.text('sealed_by');
  column.maybeText('description');
  column.text('sealed_value');
};

const variables: Area = {
  tables: {
    variables: variablesOf('workspace'),
    variable_sets: (column) => {
      column.id();
      column.reference('organization_id', 'organizations.id');
      // The owner, if it is not the organization.
      column.maybeReference('project_id', 'projects.id');
      column.text('name', 'description');
      column.flag('global', 'priority');
      column.text('created_at', 'updated_at');
      column.revision();
    },
    variable_set_workspaces: (column, table) => {
      column.reference('variable_set_id', 'variable_sets.id');
      column.reference('workspace_id', 'workspaces.id');
      table.primary(['variable_set_id', 'workspace_id']);
    },
    variable_set_projects: (column, table) => {
      column.reference('variable_set_id', 'variable_sets.id');
      column.reference('project_id', 'projects.id');
      table.primary(['variable_set_id', 'project_id']);
    },
    variable_set_variables: variablesOf('variable_set'),
  },
  indexes: [
    'unique index variables_of_workspace on variables (workspace_id, key, category)',
    'index variables_sealed on variables (sealed_by, id)',
    `unique index variable_sets_name on variable_sets (organization_id, (coalesce(project_id, '')), name)`,
    'index variable_sets_of_project on variable_sets (project_id)',
    'index variable_sets_listed on variable_sets (organization_id, lower(name), id, name)',
    'index variable_sets_global on variable_sets (organization_id, id) where global = TRUE',
    'index variable_set_workspaces_of_workspace on variable_set_workspaces (workspace_id)',
    'index variable_set_projects_of_project on variable_set_projects (project_id)',
    'unique index variables_of_set on variable_set_variables (variable_set_id, key, category)',
    'index variable_set_variables_sealed on variable_set_variables (sealed_by, id)',
  ],
};

const organizationOfRun = '(select w.organization_id from workspaces as w where w.id = new.workspace_id)';

const hasOption = (option: string) => `new.options like '%"${option}":true%'`;

/**
 * The first operation that holds: a run's options never change. They are searched and not parsed, since Postgres rejects JSON
 * that has half of a surrogate pair in any text. No text can be mistaken for an option: it has no bare quotes.
 */
const operation = `case when new.plan_only then 'plan_only' when new.save_plan then 'save_plan'
    when ${hasOption('isDestroy')} then 'destroy' when ${hasOption('refreshOnly')} then 'refresh_only'
    when ${hasOption('allowEmptyApply')} then 'empty_apply' else 'plan_and_apply' end`;

const runs: Area = {
  tables: {
    runs: (column) => {
      column.id();
      column.reference('workspace_id', 'workspaces.id');
      column.reference('configuration_version_id', 'configuration_versions.id');
      column.integer('sequence');
      column.text('status', 'source', 'options');
      column.flag('plan_only', 'save_plan', 'auto_apply');
      column.maybeText('created_by_kind', 'created_by');
      column.flag('has_changes', 'cancel_requested');
      column.maybeText('planned', 'applied', 'failure', 'own_files', 'lease_pool_id', 'lease_agent', 'lease_digest');
      column.maybeText('lease_expires_at');
      column.text('status_timestamps', 'created_at');
      column.revision();
      // The triggers write it, and the operation.
      column.maybeText('organization_id');
      column.maybeLong('own_files_bytes');
      column.text('decisions').defaultTo('[]');
      column.maybeText('operation');
    },
    run_log_chunks: (column, table) => {
      column.reference('run_id', 'runs.id');
      column.text('phase');
      column.long('start_byte', 'end_byte');
      table.binary('bytes').notNullable();
      table.primary(['run_id', 'phase', 'start_byte']);
    },
    run_artifacts: (column, table) => {
      column.reference('run_id', 'runs.id');
      column.text('name', 'bundle_key');
      column.long('bundle_bytes');
      column.text('bundle_sha256');
      table.primary(['run_id', 'name']);
    },
    run_comments: (column) => {
      column.id();
      column.reference('run_id', 'runs.id');
      column.text('body', 'created_by_kind', 'created_by', 'created_at');
    },
  },
  indexes: [
    'index runs_of_version on runs (configuration_version_id, status)',
    'index runs_of_creator on runs (created_by, status)',
    'unique index runs_sequence on runs (workspace_id, sequence)',
    `index runs_waiting on runs (workspace_id, sequence) where status in ('pending', 'confirmed')`,
    `index runs_claimable on runs (created_at, id) where status in ('plan_queued', 'apply_queued')`,
    'unique index runs_lease on runs (lease_digest) where lease_digest is not null',
    'index runs_lease_expiry on runs (lease_expires_at) where lease_expires_at is not null',
    'index runs_own_files on runs (own_files) where own_files is not null',
    'index runs_of_workspace on runs (workspace_id, status, sequence, source, operation, created_at, id)',
    // By an expression, and not by the column alone: SQLite would otherwise take it for the queue, which is a part of it.
    `index runs_of_organization on runs
       ((organization_id || ''), created_at, id, status, source, operation, workspace_id)`,
    // Enforces one active run per workspace, in case the application does not.
    // The statuses are in the order in which statements list them: SQLite does not find an index whose condition has another.
    `unique index runs_holding on runs (workspace_id) where plan_only = FALSE and status in
       ('fetching', 'plan_queued', 'pre_plan_running', 'pre_plan_completed', 'planning', 'planned', 'post_plan_running',
        'post_plan_awaiting_decision', 'post_plan_completed', 'pre_apply_running', 'pre_apply_completed', 'apply_queued',
        'applying')`,
    `index runs_queued on runs (organization_id, created_at, id) where status in
       ('pending', 'confirmed', 'fetching', 'plan_queued', 'apply_queued', 'pre_plan_running', 'pre_plan_completed',
        'pre_apply_running', 'pre_apply_completed', 'planning', 'post_plan_running', 'applying')`,
    'unique index run_artifacts_bundle on run_artifacts (bundle_key)',
    'index run_comments_of_run on run_comments (run_id, created_at, id)',
  ],
  triggers: {
    // On Postgres before the row is there: each update of a row is one more entry in every index. SQLite cannot change it then.
    runs_listed: {
      ...after('insert', 'runs', [
        `update runs set organization_id = ${organizationOfRun}, operation = ${operation} where id = new.id`,
      ]),
      postgres: [
        'before insert on runs for each row',
        `new.organization_id := ${organizationOfRun}; new.operation := ${operation}; return new;`,
      ],
    },
  },
};

const stateVersions: Area = {
  tables: {
    state_versions: (column) => {
      column.id();
      column.reference('workspace_id', 'workspaces.id');
      column.maybeReference('run_id', 'runs.id');
      // Dense among a workspace's finalized versions: a page is a range of it. Null for others.
      column.maybeInteger('sequence');
      column.text('status');
      column.long('serial');
      column.text('lineage', 'md5');
      column.long('size');
      column.maybeText('bundle_key', 'bundle_sha256', 'created_by_kind', 'created_by_id');
      column.text('created_at');
      column.text('source').defaultTo('agent');
      column.maybeText('json_bundle_key');
      column.maybeLong('json_bundle_bytes');
      column.maybeText('json_bundle_sha256');
      column.flag('forced').defaultTo(false);
      column.flag('outputs_read').defaultTo(true);
      column.maybeText('rollback_of', 'unread_because');
    },
    state_version_outputs: (column) => {
      column.id();
      column.reference('state_version_id', 'state_versions.id');
      column.text('name', 'type');
      column.flag('sensitive');
      // The prefix of the sealed value, which names its key; null where it is not sealed.
      column.maybeText('sealed_by');
      // The value's size in characters. It comes first, so that adding up sizes reads none of the values.
      column.integer('size');
      column.text('value');
    },
    state_version_contents: (column, table) => {
      column.reference('state_version_id', 'state_versions.id');
      column.maybeText('terraform_version');
      column.integer('resource_count');
      column.text('resources');
      table.primary(['state_version_id']);
      // The reasons for which parts of the state are not shown.
      column.text('warnings').defaultTo('[]');
    },
  },
  indexes: [
    'unique index state_versions_sequence on state_versions (workspace_id, sequence)',
    'index state_versions_of_run on state_versions (run_id)',
    'unique index state_versions_bundle on state_versions (bundle_key) where bundle_key is not null',
    `unique index state_versions_pending on state_versions (run_id) where status = 'pending' and source = 'agent'`,
    `unique index state_versions_pending_of_client on state_versions (workspace_id)
       where status = 'pending' and source = 'client'`,
    'unique index state_versions_json_bundle on state_versions (json_bundle_key) where json_bundle_key is not null',
    `index state_versions_kept on state_versions (workspace_id, created_at, id) where status = 'finalized'`,
    'unique index state_version_outputs_listed on state_version_outputs (state_version_id, name)',
    'index state_version_outputs_sealed on state_version_outputs (sealed_by, id) where sealed_by is not null',
  ],
};

const agents: Area = {
  tables: {
    agent_pools: (column) => {
      column.id();
      // Null for a site pool.
      column.maybeReference('organization_id', 'organizations.id');
      column.text('name', 'created_at');
      column.flag('organization_scoped').defaultTo(true);
    },
    agent_tokens: (column) => {
      column.id();
      column.reference('pool_id', 'agent_pools.id');
      column.text('secret_digest', 'description');
      column.maybeText('created_by_kind', 'created_by_id');
      column.text('created_at');
      column.maybeText('last_used_at');
    },
    agent_pool_workspaces: (column, table) => {
      column.reference('agent_pool_id', 'agent_pools.id');
      column.reference('workspace_id', 'workspaces.id');
      column.text('list');
      table.primary(['agent_pool_id', 'list', 'workspace_id']);
    },
  },
  indexes: [
    'unique index agent_pools_name on agent_pools (organization_id, name)',
    'index agent_pools_listed on agent_pools (organization_id, lower(name), id, name)',
    'unique index agent_pools_site_name on agent_pools (name) where organization_id is null',
    'index agent_pools_by_age on agent_pools (organization_id, created_at, id, name)',
    'unique index agent_tokens_secret_digest on agent_tokens (secret_digest)',
    'index agent_tokens_of_pool on agent_tokens (pool_id, created_at, id)',
    'index agent_pool_workspaces_of_workspace on agent_pool_workspaces (workspace_id)',
  ],
};

const setAndWorkspace = (column: Columns, table: Knex.CreateTableBuilder) => {
  column.reference('policy_set_id', 'policy_sets.id');
  column.reference('workspace_id', 'workspaces.id');
  table.primary(['policy_set_id', 'workspace_id']);
};

const policies: Area = {
  tables: {
    policy_sets: (column) => {
      column.id();
      column.reference('organization_id', 'organizations.id');
      column.text('name');
      column.maybeText('description');
      column.text('kind');
      column.flag('global', 'overridable');
      column.text('policies', 'created_at', 'updated_at');
      column.revision();
      column.maybeText('policy_tool_version');
      column.flag('agent_enabled').defaultTo(false);
      column.text('update_patterns').defaultTo('[]');
      // JSON with the newest version and the current one; null for a set without versions.
      column.maybeText('versions', 'clone_url', 'branch', 'credential', 'webhook_id', 'webhook_key', 'linked_by_kind');
      column.maybeText('linked_by_id', 'policies_path');
    },
    policy_set_workspaces: setAndWorkspace,
    policy_set_exclusions: setAndWorkspace,
    // Code is found by its digest, and never changes.
    policy_codes: (column, table) => {
      column.reference('organization_id', 'organizations.id');
      column.text('sha256', 'code');
      table.primary(['organization_id', 'sha256']);
    },
    policies: (column) => {
      column.id();
      column.reference('organization_id', 'organizations.id');
      column.text('name', 'description', 'kind');
      column.maybeText('query');
      column.text('enforcement_level');
      column.maybeText('code');
      column.text('created_at', 'updated_at');
      column.revision();
    },
    policy_set_policies: (column, table) => {
      column.reference('policy_set_id', 'policy_sets.id');
      column.reference('policy_id', 'policies.id');
      table.primary(['policy_set_id', 'policy_id']);
    },
    policy_set_versions: (column) => {
      column.id();
      column.reference('organization_id', 'organizations.id');
      column.maybeReference('policy_set_id', 'policy_sets.id');
      column.integer('sequence');
      column.text('status');
      column.maybeText('error', 'error_message', 'bundle_key');
      column.maybeLong('bundle_bytes');
      column.maybeText('bundle_sha256', 'created_by_kind', 'created_by_id');
      column.text('status_timestamps', 'created_at', 'updated_at');
      column.maybeText('superseded_at');
      column.revision();
      column.text('source').defaultTo('tfe-api');
      column.maybeText('clone_url', 'identifier', 'branch', 'commit_sha', 'commit_message', 'commit_url');
    },
    policy_set_version_runs: (column, table) => {
      column.reference('policy_set_version_id', 'policy_set_versions.id');
      column.reference('run_id', 'runs.id');
      table.primary(['policy_set_version_id', 'run_id']);
    },
    policy_set_parameters: (column) => {
      column.id();
      column.reference('policy_set_id', 'policy_sets.id');
      column.text('key');
      column.flag('sensitive');
      column.text('created_at');
      column.revision();
      // The prefix of the sealed value, which names its key.
      column.text('sealed_by', 'sealed_value');
    },
  },
  indexes: [
    'unique index policy_sets_name on policy_sets (organization_id, name)',
    'index policy_sets_listed on policy_sets (organization_id, lower(name), id, name)',
    'index policy_sets_global on policy_sets (organization_id, id) where global = TRUE',
    'index policy_sets_of_kind on policy_sets (organization_id, kind, lower(name), id, name)',
    `index policy_sets_versioned on policy_sets
       (organization_id, (versions is not null), lower(name), id, name, kind)`,
    'unique index policy_sets_webhook on policy_sets (webhook_id) where webhook_id is not null',
    'index policy_set_workspaces_of_workspace on policy_set_workspaces (workspace_id)',
    'index policy_set_exclusions_of_workspace on policy_set_exclusions (workspace_id)',
    'unique index policies_name on policies (organization_id, name)',
    'index policies_listed on policies (organization_id, lower(name), id, name)',
    'index policies_of_kind on policies (organization_id, kind, lower(name), id, name)',
    'index policies_by_age on policies (organization_id, created_at, id, kind, name)',
    'index policy_set_policies_of_policy on policy_set_policies (policy_id)',
    'unique index policy_set_versions_of_set on policy_set_versions (policy_set_id, sequence)',
    'index policy_set_versions_of_organization on policy_set_versions (organization_id)',
    'unique index policy_set_versions_bundle on policy_set_versions (bundle_key) where bundle_key is not null',
    `index policy_set_versions_superseded on policy_set_versions (superseded_at)
       where superseded_at is not null and bundle_key is not null`,
    'index policy_set_version_runs_of_run on policy_set_version_runs (run_id)',
    'unique index policy_set_parameters_of_set on policy_set_parameters (policy_set_id, key)',
    'index policy_set_parameters_sealed on policy_set_parameters (sealed_by, id)',
  ],
};

const runTasks: Area = {
  tables: {
    run_tasks: (column) => {
      column.id();
      column.reference('organization_id', 'organizations.id');
      column.text('name', 'url', 'description');
      column.flag('enabled');
      column.maybeText('hmac_key');
      column.text('created_at');
      column.revision();
    },
    workspace_tasks: (column) => {
      column.id();
      column.reference('workspace_id', 'workspaces.id');
      column.reference('run_task_id', 'run_tasks.id');
      column.text('enforcement_level', 'stages', 'created_at');
      column.revision();
    },
    task_results: (column) => {
      column.id();
      column.reference('task_stage_id', 'task_stages.id');
      column.integer('position');
      // Not references: a result outlives its task.
      column.text('run_task_id', 'workspace_task_id', 'task_name', 'task_url', 'enforcement_level');
      column.flag('speculative');
      column.text('status', 'message', 'url');
      column.maybeText('token_digest', 'deadline');
      column.text('status_timestamps', 'created_at', 'updated_at');
      column.maybeText('called_at');
    },
    task_result_outcomes: (column, table) => {
      column.reference('task_result_id', 'task_results.id');
      column.integer('position');
      column.text('outcome_id', 'description', 'body', 'url', 'tags');
      table.primary(['task_result_id', 'position']);
    },
  },
  indexes: [
    'unique index run_tasks_name on run_tasks (organization_id, name)',
    'index run_tasks_by_name on run_tasks (organization_id, lower(name), id)',
    'index workspace_tasks_of_workspace on workspace_tasks (workspace_id, created_at, id)',
    'unique index workspace_tasks_once on workspace_tasks (run_task_id, workspace_id)',
    'unique index task_results_position on task_results (task_stage_id, position)',
    'unique index task_results_token on task_results (token_digest) where token_digest is not null',
    'index task_results_due on task_results (deadline, id) where deadline is not null',
  ],
};

const versionControl: Area = {
  tables: {
    vcs_deliveries: (column, table) => {
      column.reference('workspace_id', 'workspaces.id');
      column.text('delivery');
      column.reference('configuration_version_id', 'configuration_versions.id');
      table.primary(['workspace_id', 'delivery']);
    },
  },
  indexes: ['index vcs_deliveries_of_version on vcs_deliveries (configuration_version_id)'],
};

const signIn: Area = {
  tables: {
    identities: (column) => {
      column.id();
      column.reference('user_id', 'users.id');
      column.text('issuer', 'subject', 'created_at');
    },
    identity_providers: (column, table) => {
      column.text('issuer');
      column.flag('sends_auth_time');
      table.primary(['issuer']);
    },
    sessions: (column) => {
      column.id();
      column.reference('user_id', 'users.id');
      column.text('secret_digest', 'created_at', 'expires_at');
      // The code that `terraform login` redeems: at most one for each session.
      column.maybeText('code_digest', 'code_challenge', 'code_redirect_uri', 'code_expires_at', 'identity_id');
      column.maybeText('last_used_at');
      // In seconds.
      column.integer('longest_idle').defaultTo(0);
    },
    // Groups at the identity provider that a site administrator gave to organizations,
    organization_groups: (column, table) => {
      column.reference('organization_id', 'organizations.id').onDelete('cascade');
      column.text('pattern');
      table.primary(['organization_id', 'pattern']);
    },
    // that owners mapped to teams,
    team_groups: (column, table) => {
      column.text('team_id', 'group_name');
      table.primary(['team_id']);
      table.foreign('team_id').references('teams.id').onDelete('cascade');
    },
    // and the memberships that sign-ins made of them. One that ends, in whatever way, is no longer one that a sign-in made.
    group_memberships: (column, table) => {
      column.text('team_id', 'user_id', 'identity_id', 'group_name');
      table.primary(['team_id', 'user_id', 'identity_id']);
      table
        .foreign(['team_id', 'user_id'])
        .references(['team_id', 'user_id'])
        .inTable('team_members')
        .onDelete('cascade');
    },
  },
  indexes: [
    'unique index identities_subject on identities (issuer, subject)',
    'index identities_of_user on identities (user_id)',
    'unique index sessions_digest on sessions (secret_digest)',
    'index sessions_of_user on sessions (user_id, expires_at)',
    'unique index sessions_code on sessions (code_digest) where code_digest is not null',
    'index team_groups_group on team_groups (group_name)',
    'index group_memberships_of_user on group_memberships (user_id)',
  ],
};

const refusing = (event: 'update' | 'delete', unless: string, message: string): Trigger => ({
  sqlite: `before ${event} on audit_events for each row when not (${unless}) begin select raise(abort, '${message}'); end`,
  postgres: [
    `before ${event} on audit_events for each row`,
    `if ${unless} then return old; end if; raise exception '${message}';`,
  ],
});

/**
 * Events are inserted, and deleted only before the horizon, which retention has to move first. The database itself refuses
 * anything else, so that a bug cannot rewrite the trail. There are no foreign keys: the trail outlives its subjects.
 */
const audit: Area = {
  tables: {
    audit_events: (column) => {
      // Sorts by time.
      column.id();
      column.maybeText('organization_id');
      column.text('at', 'actor_kind');
      column.maybeText('actor_id', 'token_id');
      column.text('action');
      column.maybeText('subject');
      column.text('outcome');
      column.integer('count');
      column.maybeText('request_id', 'address', 'route');
      // JSON.
      column.maybeText('detail');
    },
    audit_horizon: (column, table) => {
      column.text('forgotten_before');
      table.primary(['forgotten_before']);
    },
  },
  indexes: ['index audit_events_of_organization on audit_events (organization_id, id)'],
  triggers: {
    audit_events_unchanged: refusing('update', '1 = 0', 'audit events are never changed'),
    audit_events_kept: refusing(
      'delete',
      "old.at < coalesce((select forgotten_before from audit_horizon), '')",
      'audit events are kept until the horizon has passed them',
    ),
    // A trigger for each row does not see it: Postgres can truncate a table. SQLite cannot.
    audit_events_whole: {
      postgres: ['before truncate on audit_events', `raise exception 'audit events are never taken away all at once';`],
    },
  },
};

const background: Area = {
  tables: {
    effects: (column, table) => {
      table.bigIncrements('id');
      column.text('subject', 'kind', 'payload');
      column.integer('attempts');
      column.maybeText('last_error', 'not_before', 'leased_until');
      column.text('organization_id').defaultTo('-');
      column.text('lane').defaultTo('quick');
      column.maybeText('waits_until');
      column.maybeLong('place');
      // The number of attempts that never ended.
      column.integer('begun').defaultTo(0);
    },
    signing_keys: (column, table) => {
      column.text('fingerprint');
      column.integer('place');
      column.text('noted_at');
      table.primary(['fingerprint']);
      table.unique(['place']);
    },
    request_rates: (column, table) => {
      column.text('instance', 'demand', 'noted_at');
      table.primary(['instance']);
    },
  },
  indexes: [
    'index effects_due on effects (not_before, id)',
    `index effects_of_subject on effects (subject, id) where lane <> 'aside'`,
    'index effects_ready on effects (lane, organization_id, (coalesce(place, id)), id) where waits_until is null',
    'index effects_waiting on effects (waits_until) where waits_until is not null',
    'index effects_failing on effects (id) where last_error is not null',
    `index effects_aside on effects (id) where lane = 'aside'`,
  ],
};

/** Rows that keep bytes. */
interface Keeping {
  readonly table: string;
  readonly bytes: (row: string) => string;
  readonly organization: (row: string) => string;
  /** Columns that change the number of bytes. None means that rows are never updated. */
  readonly changes: readonly string[];
}

const ofWorkspace = (row: string) => `(select w.organization_id from workspaces as w where w.id = ${row}.workspace_id)`;
const ofRow = (row: string) => `${row}.organization_id`;

/** By the name that their triggers begin with. */
const keeping: Readonly<Record<string, Keeping>> = {
  configuration_versions: {
    table: 'configuration_versions',
    bytes: (row) => `coalesce(${row}.bundle_bytes, 0)`,
    organization: ofWorkspace,
    changes: ['bundle_bytes'],
  },
  runs: {
    table: 'runs',
    bytes: (row) => `case when ${row}.own_files is null then 0 else coalesce(${row}.own_files_bytes, 0) end`,
    organization: ofWorkspace,
    changes: ['own_files', 'own_files_bytes'],
  },
  state_versions: {
    table: 'state_versions',
    // A state is announced with its size before it is there.
    bytes: (row) => `case when ${row}.bundle_key is null then 0 else ${row}.size end`,
    organization: ofWorkspace,
    changes: ['bundle_key', 'size'],
  },
  state_versions_json: {
    table: 'state_versions',
    bytes: (row) => `coalesce(${row}.json_bundle_bytes, 0)`,
    organization: ofWorkspace,
    changes: ['json_bundle_bytes'],
  },
  run_artifacts: {
    table: 'run_artifacts',
    bytes: (row) => `${row}.bundle_bytes`,
    organization: (row) =>
      `(select w.organization_id from runs as r join workspaces as w on w.id = r.workspace_id where r.id = ${row}.run_id)`,
    changes: [],
  },
  policy_codes: {
    table: 'policy_codes',
    bytes: (row) => `octet_length(${row}.code)`,
    organization: ofRow,
    changes: [],
  },
  policy_set_versions: {
    table: 'policy_set_versions',
    bytes: (row) => `coalesce(${row}.bundle_bytes, 0)`,
    organization: ofRow,
    changes: ['bundle_bytes'],
  },
};

/** Every row that keeps bytes: `organization_id` and `bytes`. */
export const keptRows = Object.values(keeping)
  .map(
    ({ table, bytes, organization }) =>
      `select ${organization('f')} as organization_id, ${bytes('f')} as bytes from ${table} as f where ${bytes('f')} > 0`,
  )
  .join(' union all ');

function countingBytes([name, { table, bytes, organization, changes }]: [string, Keeping]): Area['triggers'] {
  const count = (selected: string): string =>
    `insert into kept_bytes (organization_id, bytes) ${selected}
     on conflict (organization_id) do update set bytes = kept_bytes.bytes + excluded.bytes`;
  const add = (row: string, difference: string) => [
    count(`select ${organization(row)}, ${difference} where ${difference} <> 0`),
  ];
  return {
    [`${name}_kept`]: after('insert', table, add('new', bytes('new'))),
    ...(changes.length > 0 && {
      [`${name}_kept_otherwise`]: after({ changes }, table, add('new', `${bytes('new')} - ${bytes('old')}`)),
    }),
    [`${name}_kept_no_more`]: after('delete', table, add('old', `0 - ${bytes('old')}`), [
      count(
        `select ${organization('f')}, 0 - sum(${bytes('f')}) from gone as f group by 1 having sum(${bytes('f')}) <> 0`,
      ),
    ]),
  };
}

/** The number of bytes that each organization keeps, counted by the database: no statement that writes a row can forget it. */
const files: Area = {
  tables: {
    kept_bytes: (column) => {
      column.reference('organization_id', 'organizations.id').onDelete('cascade').primary();
      column.long('bytes');
    },
  },
  indexes: ['index kept_bytes_largest on kept_bytes (bytes)'],
  triggers: Object.assign({}, ...Object.entries(keeping).map(countingBytes)),
};

const teamKey = 'case when new.deleted_at is null then new.name_key end';

/** The sort key of a member. */
const memberKey = (membership: string, user: string) =>
  `lower(coalesce(${membership}.invited_email, ${user}.username))`;

const nameMember = `update organization_memberships set listed_name = (select ${memberKey('new', 'u')} from users as u
     where u.id = new.user_id and u.deleted_at is null) where id = new.id`;

/**
 * On Postgres, a lock against a concurrent insert of a row that refers to the team or user: the insert locks the row it
 * refers to before it reads its name, and a rename waits here until the insert is visible.
 */
const held = (table: string, columns: readonly string[]): Trigger => ({
  postgres: [
    `before update of ${columns.join(', ')} on ${table} for each row when (${anyChanged(columns)})`,
    `perform 1 from ${table} where id = old.id for update; return new;`,
  ],
});

/**
 * The sort keys of lists are stored in the listed rows: a page is then a range of one index, however long the list. The
 * database maintains them, so that no code that writes a row can forget to.
 */
const lists: Area = {
  tables: {},
  triggers: {
    organization_memberships_named: after('insert', 'organization_memberships', [nameMember]),
    organization_memberships_accepted: after({ changes: ['invited_email'] }, 'organization_memberships', [nameMember]),
    users_renamed: after({ changes: ['username', 'deleted_at'] }, 'users', [
      `update organization_memberships
         set listed_name = case when new.deleted_at is null then ${memberKey('organization_memberships', 'new')} end
         where user_id = new.id`,
    ]),
    users_held: held('users', ['username', 'deleted_at']),
    teams_renamed: after({ changes: ['name_key', 'visibility', 'deleted_at'] }, 'teams', [
      `update team_workspaces set listed_name = ${teamKey}, listed_visibility = new.visibility
         where team_id = new.id`,
      `update api_tokens set listed_in = case when new.deleted_at is null then new.organization_id end,
         listed_name = ${teamKey} where team_id = new.id`,
    ]),
    teams_held: held('teams', ['name', 'visibility', 'deleted_at']),
  },
};

/** An area refers only to those before it. */
const areas: readonly Area[] = [
  users,
  organizations,
  teams,
  projects,
  workspaces,
  configurationVersions,
  versionControl,
  teamAccess,
  tokens,
  tags,
  variables,
  runs,
  stateVersions,
  agents,
  policies,
  policyOutcomes,
  runTasks,
  signIn,
  audit,
  background,
  files,
  lists,
];

const isPostgres = (knex: Knex): boolean => knex.client.driverName === 'pg';

async function place(knex: Knex, name: string, { sqlite, postgres }: Trigger): Promise<void> {
  if (!isPostgres(knex)) {
    if (sqlite !== undefined) await knex.raw(`create trigger ${name} ${sqlite}`);
  } else if (postgres !== undefined) {
    const [trigger, body] = postgres;
    await knex.raw(`create function ${name}() returns trigger language plpgsql as $$ begin ${body} end $$`);
    await knex.raw(`create trigger ${name} ${trigger} execute function ${name}()`);
  }
}

export async function up(knex: Knex): Promise<void> {
  const columns = columnsFor(knex);
  for (const { tables, indexes = [] } of areas) {
    for (const [name, define] of Object.entries(tables)) {
      await knex.schema.createTable(name, (table) => define(columns(table), table));
    }
    for (const index of indexes) await knex.raw(`create ${index}`);
  }
  for (const { triggers = {} } of areas) {
    for (const [name, trigger] of Object.entries(triggers)) await place(knex, name, trigger);
  }
  await knex('audit_horizon').insert({ forgotten_before: '' });
  // Rows written every second and worthless after three need no log.
  if (isPostgres(knex)) await knex.raw('alter table request_rates set unlogged');
}

/** Everything is lost. */
export async function down(knex: Knex): Promise<void> {
  for (const { tables, triggers = {} } of areas.toReversed()) {
    for (const name of Object.keys(tables).toReversed()) await knex.schema.dropTable(name);
    for (const [name, { postgres }] of isPostgres(knex) ? Object.entries(triggers) : []) {
      if (postgres !== undefined) await knex.raw(`drop function ${name}() cascade`);
    }
  }
}
