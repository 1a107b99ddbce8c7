import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { displace, nameOf, place, type Trigger, tablesOf } from './counted-lists.js';
import { lockTables } from './lock-tables.js';

const ofWorkspace = 'index runs_of_workspace on runs (workspace_id, status)';

const indexes = [
  'index runs_of_workspace on runs (workspace_id, status, sequence, source, operation, created_at, id)',
  // By an expression, and not by the column alone: SQLite would otherwise take it for the queue, which is a part of it.
  `index runs_of_organization on runs
     ((organization_id || ''), created_at, id, status, source, operation, workspace_id)`,
  `index organization_memberships_by_status on organization_memberships
     (organization_id, (invited_email is null), listed_name, id, invited_email) where listed_name is not null`,
  'index policy_sets_of_kind on policy_sets (organization_id, kind, lower(name), id, name)',
  'index policies_by_age on policies (organization_id, created_at, id, kind, name)',
  'index agent_pools_by_age on agent_pools (organization_id, created_at, id, name)',
];

/**
 * The first operation that holds: a run's options never change. They are searched and not parsed, since Postgres rejects
 * JSON that has half of a surrogate pair in any text. No text can be mistaken for an option: it has no bare quotes.
 */
const operationOf = (run: string): string => {
  const is = (option: string) => `${run}.options like '%"${option}":true%'`;
  return `case when ${run}.plan_only then 'plan_only' when ${run}.save_plan then 'save_plan'
    when ${is('isDestroy')} then 'destroy' when ${is('refreshOnly')} then 'refresh_only'
    when ${is('allowEmptyApply')} then 'empty_apply' else 'plan_and_apply' end`;
};

/** The database itself names the operation: what does not know the column, as the release before, cannot forget it. */
const triggers: Readonly<Record<string, Trigger>> = {
  runs_operation: {
    on: 'runs',
    at: 'insert',
    statements: [`update runs set operation = ${operationOf('new')} where id = new.id`],
  },
};

/** Indexes contain the columns that lists are filtered and sorted by, so that counting reads no rows. */
export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, {
    changed: ['runs'],
    referredTo: ['organization_memberships', 'policy_sets', 'policies', 'agent_pools'],
  });
  await knex.schema.alterTable('runs', (table) => {
    columnsFor(knex)(table).maybeText('operation');
  });
  await knex.raw(`update runs set operation = ${operationOf('runs')}`);
  await knex.raw(`drop index ${nameOf(ofWorkspace)}`);
  for (const index of indexes) await knex.raw(`create ${index}`);
  await place(knex, triggers);
}

export async function down(knex: Knex): Promise<void> {
  await displace(knex, tablesOf(triggers));
  for (const index of indexes) await knex.raw(`drop index ${nameOf(index)}`);
  await knex.raw(`create ${ofWorkspace}`);
  await knex.raw('alter table runs drop column operation');
}
