import type { Knex } from 'knex';
import { columnsFor } from './shared/columns.js';
import { declareFills, type Fill, forgetFills } from './shared/fills.js';
import { lockTables } from './shared/lock-tables.js';
import { placeTriggers, removeTriggers } from './shared/triggers.js';

/** In the order of the index `runs_holding`: SQLite does not find a partial index whose condition has another. */
const holding = `('fetching', 'plan_queued', 'pre_plan_running', 'pre_plan_completed', 'planning', 'planned', 'post_plan_running',
  'post_plan_awaiting_decision', 'post_plan_completed', 'pre_apply_running', 'pre_apply_completed', 'apply_queued', 'applying')`;
const waiting = `('pending', 'confirmed')`;

const runOf = (workspace: string, condition: string): string =>
  `(select r.id from runs as r where r.workspace_id = ${workspace}.id and r.plan_only = FALSE and ${condition})`;

/** Every run that holds its workspace begins by one of these. */
const heldLast = (workspace: string): string =>
  runOf(
    workspace,
    `r.status not in ${waiting} and (r.status_timestamps like '%"fetching-at"%' or r.status_timestamps like '%"plan-queued-at"%')
       order by r.sequence desc limit 1`,
  );

/** The row of each of `workspaces`; `held` is the id of the run that held it last. */
const rowsOf = (workspaces: string, held: string, condition: string): string =>
  `insert into current_runs (workspace_id, organization_id, run_id, status, created_at, held_run_id)
     select ${workspaces}.id, ${workspaces}.organization_id, c.id, c.status, c.created_at, ${held}
     from workspaces as ${workspaces} left join runs as c on c.id = coalesce(
       ${runOf(workspaces, `r.status in ${holding}`)},
       ${runOf(workspaces, `r.status in ${waiting} order by r.sequence limit 1`)},
       ${held})
     where ${condition}`;

const heldWith = `case when new.status in ${holding} then new.id else
  coalesce((select k.held_run_id from current_runs as k where k.workspace_id = w.id), ${heldLast('w')}) end`;

const keep = `${rowsOf('w', heldWith, 'w.id = new.workspace_id and new.plan_only = FALSE')}
  on conflict (workspace_id) do update set run_id = excluded.run_id, status = excluded.status,
    created_at = excluded.created_at, held_run_id = excluded.held_run_id;`;

const trigger = (event: string) => ({
  sqlite: `after ${event} begin ${keep} end`,
  postgres: [`after ${event}`, `${keep} return null;`] as const,
});

const triggers = {
  current_run_begun: trigger('insert on runs for each row'),
  current_run_changed: trigger('update of status on runs for each row when (old.status <> new.status)'),
};

const currentRuns: Fill = {
  name: 'current_runs',
  over: 'workspaces',
  statement: (rows) => `${rowsOf('workspaces', heldLast('workspaces'), rows)} on conflict do nothing`,
};

export const fills = [currentRuns];

/** One row per workspace: its current run, as triggers on the runs keep it. */
export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo: ['runs', 'workspaces'] });
  await knex.schema.createTable('current_runs', (table) => {
    const column = columnsFor(knex)(table);
    column.reference('workspace_id', 'workspaces.id').primary().onDelete('cascade');
    column.text('organization_id');
    // They go with their workspace, so neither refers to the runs: a release that does not know this table removes them first.
    column.maybeText('run_id', 'status', 'created_at', 'held_run_id');
  });
  await knex.raw('create index current_runs_by_status on current_runs (organization_id, status, workspace_id)');
  await placeTriggers(knex, triggers);
  await declareFills(knex, currentRuns);
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo: ['runs', 'workspaces'] });
  await forgetFills(knex, currentRuns);
  await removeTriggers(knex, triggers);
  await knex.schema.dropTable('current_runs');
}
