import type { Knex } from 'knex';
import { columnsFor } from './shared/columns.js';
import { lockTables } from './shared/lock-tables.js';

const tables = ['policy_set_projects', 'policy_set_project_exclusions'] as const;
const referredTo = ['policy_sets', 'projects'];

export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo });
  for (const name of tables) {
    await knex.schema.createTable(name, (table) => {
      const column = columnsFor(knex)(table);
      column.reference('policy_set_id', 'policy_sets.id').onDelete('cascade');
      column.reference('project_id', 'projects.id').onDelete('cascade');
      table.primary(['policy_set_id', 'project_id']);
    });
    await knex.raw(`create index ${name}_of_project on ${name} (project_id)`);
  }
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo });
  for (const name of tables) await knex.schema.dropTable(name);
}
