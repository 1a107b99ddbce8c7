import type { Knex } from 'knex';
import { addColumns, columnsFor, dropColumns } from './shared/columns.js';
import { lockTables } from './shared/lock-tables.js';
import { placeTriggers, removeTriggers, type Trigger } from './shared/triggers.js';

const leaving = `update outcome_counts set leaving = TRUE
  where organization_id = new.organization_id and workspace_id = new.id;`;

const when = 'when (old.deleted_at is null and new.deleted_at is not null)';

const triggers: Readonly<Record<string, Trigger>> = {
  outcome_counts_leave: {
    sqlite: `after update of deleted_at on workspaces for each row ${when} begin ${leaving} end`,
    // Waits for what is being added up, which may be of this workspace.
    postgres: [
      `after update of deleted_at on workspaces for each row ${when}`,
      `perform pg_advisory_xact_lock(4711002, 0); ${leaving} return null;`,
    ],
  },
};

/** Old stages need no fill: the worker counts all that are not counted as what they are. */
export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { changed: 'task_stages', referredTo: ['organizations', 'workspaces'] });
  await addColumns(knex, 'task_stages', (column) => column.maybeText('counted_as'));
  await knex.schema.createTable('outcome_counts', (table) => {
    const column = columnsFor(knex)(table);
    column.reference('organization_id', 'organizations.id').onDelete('CASCADE');
    // Empty for all workspaces. It may be gone: its counts have yet to leave those of all.
    column.text('workspace_id');
    // In days, the first one since 1970.
    column.integer('span', 'day');
    column.flag('speculative');
    column.flag('leaving').defaultTo(false);
    column.integer('passed', 'failed', 'overridden', 'errored');
    // JSON, by policy.
    column.text('policies');
    table.primary(['organization_id', 'workspace_id', 'span', 'day', 'speculative']);
  });
  await knex.raw(
    'create index outcome_counts_leaving on outcome_counts (organization_id, span, day) where leaving = TRUE',
  );
  // Has what is counted by workspace and day, so that the rows with their long texts are not read.
  await knex.raw(
    `create index outcome_counts_sums on outcome_counts
       (organization_id, workspace_id, span, day, speculative, passed, failed, overridden, errored)`,
  );
  await knex.raw('create index outcome_counts_by_age on outcome_counts (span, day)');
  await placeTriggers(knex, triggers);
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, { changed: 'task_stages', referredTo: ['organizations', 'workspaces'] });
  await removeTriggers(knex, triggers);
  await knex.schema.dropTable('outcome_counts');
  await dropColumns(knex, 'task_stages', 'counted_as');
}
