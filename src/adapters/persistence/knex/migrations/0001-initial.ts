import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

/** A name is free again once its bearer is deleted; the other indexes serve lists by name, and owners looked up from below. */
const indexes = [
  'unique index organizations_name on organizations (name) where deleted_at is null',
  'unique index users_username on users (lower(username)) where deleted_at is null',
  'unique index users_email on users (lower(email)) where deleted_at is null',
  'unique index organization_memberships_user_id on organization_memberships (organization_id, user_id)',
  'index organization_memberships_of_user on organization_memberships (user_id)',
  'unique index teams_name on teams (organization_id, name) where deleted_at is null',
  'index teams_by_name on teams (organization_id, lower(name), id)',
  'index team_members_of_user on team_members (user_id, organization_id)',
  'unique index workspaces_name on workspaces (organization_id, name) where deleted_at is null',
  'index workspaces_by_name on workspaces (organization_id, lower(name), id)',
  'unique index team_workspaces_workspace_id on team_workspaces (team_id, workspace_id)',
  'index team_workspaces_of_workspace on team_workspaces (workspace_id)',
  'unique index configuration_versions_sequence on configuration_versions (workspace_id, sequence)',
  'index configuration_versions_bundle on configuration_versions (bundle_key)',
  'unique index ingress_attributes_of_version on ingress_attributes (configuration_version_id)',
  'unique index api_tokens_secret_digest on api_tokens (secret_digest)',
  'index api_tokens_of_user on api_tokens (user_id, created_at, id)',
  'unique index api_tokens_of_team on api_tokens (team_id) where team_id is not null',
  'unique index api_tokens_of_organization on api_tokens (organization_id) where organization_id is not null',
  'index runs_of_workspace on runs (workspace_id, status)',
  'index runs_of_version on runs (configuration_version_id, status)',
  'index runs_of_creator on runs (created_by, status)',
  'index effects_of_subject on effects (subject, id)',
];

const tables = [
  'organizations',
  'users',
  'organization_memberships',
  'teams',
  'team_members',
  'workspaces',
  'team_workspaces',
  'configuration_versions',
  'ingress_attributes',
  'api_tokens',
  'runs',
  'effects',
];

export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);

  await knex.schema.createTable('organizations', (table) => {
    const { id, text, maybeText } = column(table);
    id();
    text('name');
    text('email');
    text('created_at');
    maybeText('deleted_at');
  });
  await knex.schema.createTable('users', (table) => {
    const { id, text, maybeText, flag } = column(table);
    id();
    text('username');
    text('email');
    flag('site_administrator');
    flag('suspended');
    text('created_at');
    maybeText('deleted_at');
  });
  await knex.schema.createTable('organization_memberships', (table) => {
    const { id, text, reference } = column(table);
    id();
    reference('organization_id', 'organizations.id');
    reference('user_id', 'users.id');
    text('created_at');
  });
  await knex.schema.createTable('teams', (table) => {
    const { id, text, maybeText, flag, reference, revision } = column(table);
    id();
    reference('organization_id', 'organizations.id');
    text('name');
    text('visibility');
    flag('members_manage_token');
    text('organization_access');
    flag('is_owners');
    text('created_at');
    revision();
    maybeText('deleted_at');
  });
  await knex.schema.createTable('team_members', (table) => {
    const { text, reference } = column(table);
    reference('team_id', 'teams.id');
    reference('user_id', 'users.id');
    text('organization_id');
    table.primary(['team_id', 'user_id']);
  });
  await knex.schema.createTable('workspaces', (table) => {
    const { id, text, maybeText, flag, reference, revision } = column(table);
    id();
    reference('organization_id', 'organizations.id');
    text('name');
    maybeText('description');
    flag('auto_apply');
    text('execution_mode');
    text('terraform_version');
    text('working_directory');
    maybeText('lock_by_kind');
    maybeText('lock_by_id');
    maybeText('lock_reason');
    maybeText('locked_at');
    maybeText('current_configuration_version_id');
    table.integer('last_sequence').notNullable();
    text('created_at');
    text('updated_at');
    revision();
    maybeText('deleted_at');
  });
  await knex.schema.createTable('team_workspaces', (table) => {
    const { id, text, maybeText, reference, revision } = column(table);
    id();
    reference('team_id', 'teams.id');
    reference('workspace_id', 'workspaces.id');
    text('access');
    maybeText('runs');
    maybeText('variables');
    maybeText('state_versions');
    maybeText('policy_mocks');
    table.boolean('workspace_locking');
    table.boolean('run_tasks');
    revision();
  });
  await knex.schema.createTable('configuration_versions', (table) => {
    const { id, text, maybeText, flag, reference, revision } = column(table);
    id();
    reference('workspace_id', 'workspaces.id');
    table.integer('sequence').notNullable();
    text('status');
    text('origin');
    text('source');
    flag('auto_queue_runs');
    flag('speculative');
    flag('provisional');
    maybeText('error');
    maybeText('error_message');
    text('status_timestamps');
    maybeText('bundle_key');
    table.bigInteger('bundle_bytes');
    maybeText('bundle_sha256');
    maybeText('ingress_attributes_id');
    text('created_at');
    revision();
  });
  await knex.schema.createTable('ingress_attributes', (table) => {
    const { id, text, maybeText, flag, reference } = column(table);
    id();
    reference('configuration_version_id', 'configuration_versions.id');
    text('branch');
    text('clone_url');
    maybeText('commit_message');
    text('commit_sha');
    maybeText('commit_url');
    maybeText('compare_url');
    text('identifier');
    flag('is_pull_request');
    flag('on_default_branch');
    table.integer('pull_request_number');
    maybeText('pull_request_url');
    maybeText('pull_request_title');
    maybeText('pull_request_body');
    maybeText('tag');
    maybeText('sender_username');
    maybeText('sender_avatar_url');
    maybeText('sender_html_url');
  });
  await knex.schema.createTable('api_tokens', (table) => {
    const { id, text, maybeText, maybeReference } = column(table);
    id();
    maybeReference('user_id', 'users.id');
    maybeReference('team_id', 'teams.id');
    maybeReference('organization_id', 'organizations.id');
    text('secret_digest');
    maybeText('description');
    maybeText('created_by_kind');
    maybeText('created_by_id');
    text('created_at');
    maybeText('expires_at');
    maybeText('last_used_at');
    const owners = ['user_id', 'team_id', 'organization_id'];
    table.check(`${owners.map((owner) => `case when ${owner} is null then 0 else 1 end`).join(' + ')} = 1`);
  });
  await knex.schema.createTable('runs', (table) => {
    const { id, text, maybeText, reference } = column(table);
    id();
    reference('workspace_id', 'workspaces.id');
    reference('configuration_version_id', 'configuration_versions.id');
    text('status');
    maybeText('created_by');
  });
  await knex.schema.createTable('effects', (table) => {
    const { text, maybeText } = column(table);
    table.bigIncrements('id');
    text('subject');
    text('kind');
    text('payload');
    table.integer('attempts').notNullable();
    maybeText('last_error');
    maybeText('not_before');
  });
  for (const index of indexes) await knex.raw(`create ${index}`);
}

export async function down(knex: Knex): Promise<void> {
  for (const table of tables.toReversed()) await knex.schema.dropTable(table);
}
