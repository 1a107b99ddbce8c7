import type { Knex } from 'knex';
import { displace, place, postgresFunction, type Trigger, tablesOf } from './counted-lists.js';
import { lockTables } from './lock-tables.js';

const is = (option: string) => `new.options like '%"${option}":true%'`;

const organization = '(select w.organization_id from workspaces as w where w.id = new.workspace_id)';

const operation = `case when new.plan_only then 'plan_only' when new.save_plan then 'save_plan'
    when ${is('isDestroy')} then 'destroy' when ${is('refreshOnly')} then 'refresh_only'
    when ${is('allowEmptyApply')} then 'empty_apply' else 'plan_and_apply' end`;

const updating = (...assignments: readonly string[]): Trigger => ({
  on: 'runs',
  at: 'insert',
  statements: [`update runs set ${assignments.join(', ')} where id = new.id`],
});

const apart: Readonly<Record<string, Trigger>> = {
  runs_in_organization: updating(`organization_id = ${organization}`),
  runs_operation: updating(`operation = ${operation}`),
};

/** SQLite cannot change a row before it is there. */
const together: Readonly<Record<string, Trigger>> = {
  runs_listed: updating(`organization_id = ${organization}`, `operation = ${operation}`),
};

/**
 * A new run gets the columns that lists sort and filter by in one step, on Postgres before it is there: each update of a
 * row is one more entry in every index.
 */
export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { changed: ['runs'] });
  await displace(knex, tablesOf(apart));
  if (knex.client.driverName !== 'pg') return place(knex, together);
  const assignments = [`new.organization_id := ${organization}`, `new.operation := ${operation}`];
  await knex.raw(postgresFunction('runs_listed', assignments, 'new'));
  await knex.raw('create trigger runs_listed before insert on runs for each row execute function runs_listed()');
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, { changed: ['runs'] });
  await displace(knex, tablesOf(together));
  await place(knex, apart);
}
