import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

const index = 'unique index api_tokens_of_organization on api_tokens';

/**
 * An organization has at most one token of each of two kinds: its own, and one that reads its audit trail. Audit events
 * may carry a detail, as JSON.
 */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await knex.schema.alterTable('api_tokens', (table) => {
    column(table).flag('audits').defaultTo(false);
  });
  await knex.raw('drop index api_tokens_of_organization');
  await knex.raw(`create ${index} (organization_id, audits) where organization_id is not null`);
  await knex.schema.alterTable('audit_events', (table) => {
    column(table).maybeText('detail');
  });
}

/** The release before would take an audit token for the organization's own, so audit tokens are revoked. */
export async function down(knex: Knex): Promise<void> {
  await knex('api_tokens').where('audits', true).delete();
  await knex.raw('drop index api_tokens_of_organization');
  await knex.raw('alter table api_tokens drop column audits');
  await knex.raw(`create ${index} (organization_id) where organization_id is not null`);
  await knex.raw('alter table audit_events drop column detail');
}
