import type { Knex } from 'knex';
import { columnsFor } from './shared/columns.js';
import { lockTables } from './shared/lock-tables.js';

const name = 'policy_set_tag_selectors';
const referredTo = ['policy_sets'];

export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo });
  await knex.schema.createTable(name, (table) => {
    const column = columnsFor(knex)(table);
    column.reference('policy_set_id', 'policy_sets.id').onDelete('cascade');
    // The organization of the set. An empty value selects the key without a value.
    column.text('organization_id', 'key', 'value');
    column.flag('excludes');
    table.primary(['policy_set_id', 'key', 'value', 'excludes']);
  });
  await knex.raw(`create index ${name}_of_tag on ${name} (organization_id, key, value, policy_set_id)
    where excludes = FALSE`);
}

export async function down(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo });
  await knex.schema.dropTable(name);
}
