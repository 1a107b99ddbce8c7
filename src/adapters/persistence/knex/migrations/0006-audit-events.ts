import type { Knex } from 'knex';
import { columnsFor } from './columns.js';

/** The forbidden changes, and their conditions. */
const guards = {
  audit_events_unchanged: { before: 'update', unless: '1 = 0', says: 'audit events are never changed' },
  audit_events_kept: {
    before: 'delete',
    unless: "old.at < coalesce((select forgotten_before from audit_horizon), '')",
    says: 'audit events are kept until the horizon has passed them',
  },
} as const;

/**
 * Audit events: actions and refusals, with actor and origin. Rows are inserted, and deleted only before the horizon,
 * which retention has to move first. The database itself refuses anything else, so that a bug cannot rewrite the trail.
 * There are no foreign keys: the trail outlives its subjects.
 */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await knex.schema.createTable('audit_events', (table) => {
    const { id, text, maybeText, integer } = column(table);
    // Sorts by time.
    id();
    maybeText('organization_id');
    text('at');
    text('actor_kind');
    maybeText('actor_id');
    maybeText('token_id');
    text('action');
    maybeText('subject');
    text('outcome');
    integer('count');
    maybeText('request_id');
    maybeText('address');
    maybeText('route');
  });
  await knex.raw('create index audit_events_of_organization on audit_events (organization_id, id)');
  await knex.schema.createTable('audit_horizon', (table) => {
    column(table).text('forgotten_before').primary();
  });
  await knex('audit_horizon').insert({ forgotten_before: '' });
  for (const [name, { before, unless, says }] of Object.entries(guards)) {
    if (knex.client.driverName !== 'pg') {
      await knex.raw(
        `create trigger ${name} before ${before} on audit_events for each row when not (${unless})
           begin select raise(abort, '${says}'); end`,
      );
      continue;
    }
    await knex.raw(
      `create function ${name}() returns trigger language plpgsql as
         $$ begin if ${unless} then return old; end if; raise exception '${says}'; end $$`,
    );
    await knex.raw(`create trigger ${name} before ${before} on audit_events for each row execute function ${name}()`);
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('audit_events');
  await knex.schema.dropTable('audit_horizon');
  if (knex.client.driverName !== 'pg') return;
  for (const name of Object.keys(guards)) await knex.raw(`drop function ${name}()`);
}
