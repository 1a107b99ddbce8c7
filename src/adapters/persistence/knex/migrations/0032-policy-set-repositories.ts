import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { lockTables } from './lock-tables.js';

const ofSets = [
  'clone_url',
  'branch',
  'credential',
  'webhook_id',
  'webhook_key',
  'linked_by_kind',
  'linked_by_id',
  'policies_path',
] as const;

const ofVersions = ['clone_url', 'identifier', 'branch', 'commit_sha', 'commit_message', 'commit_url'] as const;

const webhookIndex = 'policy_sets_webhook';

/** The repositories that policy sets are linked to, and the commits that their versions were fetched from. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, { changed: ['policy_sets', 'policy_set_versions'] });
  await knex.schema.alterTable('policy_sets', (table) => {
    for (const name of ofSets) column(table).maybeText(name);
  });
  await knex.schema.alterTable('policy_set_versions', (table) => {
    const { text, maybeText } = column(table);
    text('source').defaultTo('tfe-api');
    for (const name of ofVersions) maybeText(name);
  });
  await knex.raw(`create unique index ${webhookIndex} on policy_sets (webhook_id) where webhook_id is not null`);
}

/** Links and commits are lost. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop index ${webhookIndex}`);
  for (const name of ofSets) await knex.raw(`alter table policy_sets drop column ${name}`);
  for (const name of ['source', ...ofVersions]) await knex.raw(`alter table policy_set_versions drop column ${name}`);
}
