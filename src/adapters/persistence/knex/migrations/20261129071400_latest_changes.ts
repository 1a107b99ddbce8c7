import type { Knex } from 'knex';
import { addColumns, dropColumns } from './shared/columns.js';
import { declareFills, type Fill, forgetFills } from './shared/fills.js';
import { lockTables } from './shared/lock-tables.js';
import { placeTriggers, removeTriggers } from './shared/triggers.js';

/** A state gets its number when it becomes its workspace's current one. */
const numbered = 'update of sequence on state_versions for each row when (new.sequence is not null)';
const changed = `update workspaces set last_state_at = new.created_at
  where id = new.workspace_id and last_state_at is distinct from new.created_at`;

const triggers = {
  latest_change: {
    sqlite: `after ${numbered} begin ${changed}; end`,
    postgres: [`after ${numbered}`, `${changed}; return null;`] as const,
  },
};

const latestChanges: Fill = {
  name: 'latest_changes',
  over: 'workspaces',
  // A value from the trigger is newer.
  statement: (rows) => `update workspaces set last_state_at = (select s.created_at from state_versions as s
    where s.workspace_id = workspaces.id and s.sequence = workspaces.last_state_sequence)
    where ${rows} and last_state_at is null and last_state_sequence > 0`,
};

export const fills = [latestChanges];

/** The creation of the current state; null without one. */
export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { changed: 'workspaces', referredTo: ['state_versions'] });
  await addColumns(knex, 'workspaces', (column) => column.maybeText('last_state_at'));
  await placeTriggers(knex, triggers);
  await declareFills(knex, latestChanges);
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, { changed: 'workspaces', referredTo: ['state_versions'] });
  await forgetFills(knex, latestChanges);
  await removeTriggers(knex, triggers);
  await dropColumns(knex, 'workspaces', 'last_state_at');
}
