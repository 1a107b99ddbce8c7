import type { Knex } from 'knex';

const tables = { team_workspaces: 'workspace_id', team_projects: 'project_id' } as const;

const settled = async (knex: Knex, setting: string): Promise<void> => {
  if (knex.client.driverName !== 'pg') return;
  for (const [table, place] of Object.entries(tables)) {
    await knex.raw(`alter table ${table} alter column team_id ${setting}, alter column ${place} ${setting}`);
    await knex.raw(`analyze ${table}`);
  }
};

/**
 * A grant is looked up by its team and its place. Most places have few grants, as most teams have: on average, one of the two
 * finds the row as well as both, and Postgres takes one. For a place or a team that has thousands it then reads all of them, with
 * every request about it. With these settings it expects a hundredth of the table for each, and takes both.
 */
export const up = (knex: Knex): Promise<void> => settled(knex, 'set (n_distinct = -0.01)');

export const down = (knex: Knex): Promise<void> => settled(knex, 'reset (n_distinct)');
