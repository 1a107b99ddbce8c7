import type { Knex } from 'knex';

/** Covers what a trigger for each row does not see: Postgres can truncate a table. SQLite cannot. */
export async function up(knex: Knex): Promise<void> {
  if (knex.client.driverName !== 'pg') return;
  await knex.raw(
    `create function audit_events_whole() returns trigger language plpgsql as
       $$ begin raise exception 'audit events are never taken away all at once'; end $$`,
  );
  await knex.raw(
    'create trigger audit_events_whole before truncate on audit_events execute function audit_events_whole()',
  );
}

export async function down(knex: Knex): Promise<void> {
  if (knex.client.driverName !== 'pg') return;
  await knex.raw('drop trigger audit_events_whole on audit_events');
  await knex.raw('drop function audit_events_whole()');
}
