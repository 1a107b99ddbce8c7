import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { lockTables } from './lock-tables.js';

const owners = ['workspace', 'project'];
const tables = [...owners.map((owner) => `${owner}_tag_bindings`), 'workspace_tags', 'tags'];

/** Names for grouping workspaces, and keys with values. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, { changed: ['workspaces'], referredTo: ['organizations', 'projects'] });
  await knex.schema.createTable('tags', (table) => {
    const { id, text, reference } = column(table);
    id();
    reference('organization_id', 'organizations.id');
    text('name');
    text('created_at');
  });
  await knex.raw('create unique index tags_name on tags (organization_id, name)');
  await knex.schema.createTable('workspace_tags', (table) => {
    const { reference } = column(table);
    reference('workspace_id', 'workspaces.id');
    reference('tag_id', 'tags.id');
    table.primary(['workspace_id', 'tag_id']);
  });
  await knex.raw('create index workspace_tags_of_tag on workspace_tags (tag_id, workspace_id)');
  for (const owner of owners) {
    const bindings = `${owner}_tag_bindings`;
    await knex.schema.createTable(bindings, (table) => {
      const { id, text, reference } = column(table);
      id();
      reference('organization_id', 'organizations.id');
      reference(`${owner}_id`, `${owner}s.id`);
      text('key');
      text('value');
      text('created_at');
    });
    await knex.raw(`create unique index ${bindings}_key on ${bindings} (${owner}_id, key)`);
    await knex.raw(`create index ${bindings}_value on ${bindings} (organization_id, key, value, ${owner}_id)`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const table of tables) await knex.schema.dropTable(table);
}
