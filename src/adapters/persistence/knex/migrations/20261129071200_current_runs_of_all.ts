import type { Knex } from 'knex';
import { declareFills, type Fill, forgetFills } from './shared/fills.js';
import { lockTables } from './shared/lock-tables.js';
import { placeTriggers, removeTriggers } from './shared/triggers.js';

const begun = 'insert into current_runs (workspace_id, organization_id) values (new.id, new.organization_id)';

const triggers = {
  workspace_without_run: {
    sqlite: `after insert on workspaces for each row begin ${begun}; end`,
    postgres: ['after insert on workspaces for each row', `${begun}; return null;`] as const,
  },
};

/** Those that have a run already have a row, or the fill of the table itself writes it. */
const currentRunsOfAll: Fill = {
  name: 'current_runs_of_all',
  over: 'workspaces',
  statement: (rows) => `insert into current_runs (workspace_id, organization_id)
    select workspaces.id, workspaces.organization_id from workspaces where ${rows}
    and not exists (select 1 from runs as r where r.workspace_id = workspaces.id and r.plan_only = FALSE)
    on conflict do nothing`,
};

export const fills = [currentRunsOfAll];

/** Workspaces without a run have a row as well, so that an index sorts all of them. */
export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo: ['workspaces'] });
  await placeTriggers(knex, triggers);
  await declareFills(knex, currentRunsOfAll);
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo: ['workspaces'] });
  await forgetFills(knex, currentRunsOfAll);
  await removeTriggers(knex, triggers);
}
