import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { nameOf } from './counted-lists.js';
import { lockTables } from './lock-tables.js';

const lanes: Readonly<Record<string, string>> = {
  'queue-run': 'quick',
  'purge-backing-data': 'quick',
  'archive-version': 'quick',
  'discard-bundle': 'discards',
  'read-state-outputs': 'local',
  'remove-rows': 'local',
  'fetch-commit': 'fetches',
  'fetch-run-files': 'fetches',
  'fetch-policies': 'fetches',
  'call-run-task': 'calls',
};

const ofSubject = 'index effects_of_subject on effects (subject, id)';

const indexes = [
  `${ofSubject} where lane <> 'aside'`,
  'index effects_ready on effects (lane, organization_id, (coalesce(place, id)), id) where waits_until is null',
  'index effects_waiting on effects (waits_until) where waits_until is not null',
  'index effects_failing on effects (id) where last_error is not null',
  "index effects_aside on effects (id) where lane = 'aside'",
];

/** Effects know their organization, and how many of their attempts never ended. Results know when they were called. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, { changed: ['effects', 'task_results', 'state_versions'] });
  await knex.schema.alterTable('effects', (table) => {
    const { text, maybeText, integer } = column(table);
    text('organization_id').defaultTo('-');
    text('lane').defaultTo('quick');
    maybeText('waits_until');
    table.bigInteger('place');
    integer('begun').defaultTo(0);
  });
  for (const [kind, lane] of Object.entries(lanes)) await knex('effects').where({ kind }).update({ lane });
  await knex('effects').update({ waits_until: knex.raw('coalesce(leased_until, not_before)') });
  await knex.raw(`drop index ${nameOf(ofSubject)}`);
  for (const index of indexes) await knex.raw(`create ${index}`);
  await knex.schema.alterTable('task_results', (table) => {
    column(table).maybeText('called_at');
  });
  await knex('task_results')
    .whereNotNull('deadline')
    .update({ called_at: knex.ref('updated_at') });
  await knex.schema.alterTable('state_versions', (table) => {
    column(table).maybeText('unread_because');
  });
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, { changed: ['effects', 'task_results', 'state_versions'] });
  await knex.raw('alter table state_versions drop column unread_because');
  await knex.raw('alter table task_results drop column called_at');
  for (const index of indexes) await knex.raw(`drop index ${nameOf(index)}`);
  await knex.raw(`create ${ofSubject}`);
  for (const name of ['organization_id', 'lane', 'waits_until', 'place', 'begun']) {
    await knex.raw(`alter table effects drop column ${name}`);
  }
}
