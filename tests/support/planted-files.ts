import type { Knex } from 'knex';
import type { Migration } from '../../src/adapters/persistence/knex/migration-source.js';
import { addColumns, columnsFor, dropColumns } from '../../src/adapters/persistence/knex/migrations/shared/columns.js';
import {
  type ComputedColumn,
  computeColumn,
  fillOf,
  stopComputing,
} from '../../src/adapters/persistence/knex/migrations/shared/computed-columns.js';
import { declareFills, type Fill, forgetFills } from '../../src/adapters/persistence/knex/migrations/shared/fills.js';
import { createIndex, dropIndex } from '../../src/adapters/persistence/knex/migrations/shared/indexes.js';
import { lockTables } from '../../src/adapters/persistence/knex/migrations/shared/lock-tables.js';
import {
  placeTriggers,
  removeTriggers,
  type Trigger,
} from '../../src/adapters/persistence/knex/migrations/shared/triggers.js';

/** Computed for each version: what a filter of the next release would read. */
export const column: ComputedColumn = {
  name: 'versions_are_kept',
  table: 'configuration_versions',
  column: 'is_kept',
  reads: ['status', 'purge_at'],
  value: (row) => `(${row}.status = 'uploaded' and ${row}.purge_at is null)`,
};

export const indexName = 'configuration_versions_is_kept';

const counted = (workspace: string) =>
  `(select count(*) from configuration_versions v where v.workspace_id = ${workspace})`;
const count = `insert into version_counts (workspace_id, versions) values (new.workspace_id, ${counted('new.workspace_id')})
  on conflict (workspace_id) do update set versions = excluded.versions;`;

const triggers: Readonly<Record<string, Trigger>> = {
  version_counts_kept: {
    sqlite: `after insert on configuration_versions for each row begin ${count} end`,
    postgres: ['after insert on configuration_versions for each row', `${count} return null;`],
  },
};

/** Inserts a row for each of another table, as the triggers do. */
const counts: Fill = {
  name: 'version_counts',
  over: 'workspaces',
  statement: (rows) =>
    `insert into version_counts (workspace_id, versions)
     select workspaces.id, ${counted('workspaces.id')} from workspaces where ${rows} on conflict do nothing`,
};

const columnMigration: Migration = {
  up: async (knex) => {
    await addColumns(knex, column.table, (columns) => columns.maybeFlag(column.column));
    await computeColumn(knex, column);
  },
  down: async (knex) => {
    await stopComputing(knex, column);
    await dropColumns(knex, column.table, column.column);
  },
};

const indexMigration: Migration = {
  up: (knex) =>
    createIndex(knex, { name: indexName, definition: 'on configuration_versions (workspace_id, is_kept, id)' }),
  down: (knex) => dropIndex(knex, indexName),
};

const tableMigration: Migration = {
  up: async (knex) => {
    await lockTables(knex, { referredTo: ['workspaces'] });
    await knex.schema.createTable('version_counts', (table) => {
      const columns = columnsFor(knex)(table);
      // The release before does not know the row, and must be able to delete the workspace.
      columns.reference('workspace_id', 'workspaces.id').onDelete('CASCADE');
      columns.integer('versions');
      table.primary(['workspace_id']);
    });
  },
  down: async (knex) => {
    await lockTables(knex, { changed: 'workspaces' });
    await knex.schema.dropTable('version_counts');
  },
};

const countMigration: Migration = {
  up: async (knex) => {
    await lockTables(knex, { referredTo: ['configuration_versions', 'workspaces'] });
    await placeTriggers(knex, triggers);
    await declareFills(knex, counts);
  },
  down: async (knex) => {
    await lockTables(knex, { changed: 'configuration_versions' });
    await forgetFills(knex, counts);
    await removeTriggers(knex, triggers);
  },
};

/** The migrations of a release to come, by their names. They import nothing that imports the list of migrations. */
export const plantedFiles: Readonly<Record<string, Migration>> = {
  '20990101000001_column.ts': { ...columnMigration, fills: [fillOf(column)] },
  '20990101000002_index.ts': { ...indexMigration, config: { transaction: false } },
  '20990101000003_table.ts': tableMigration,
  '20990101000004_counts.ts': { ...countMigration, fills: [counts] },
};

/** Makes the database that of this release again. May run twice. */
export async function uproot(knex: Knex): Promise<void> {
  for (const [name, { down, config }] of Object.entries(plantedFiles).toReversed()) {
    const [applied] = await knex('knex_migrations').where({ name });
    if (applied === undefined) continue;
    const undo = async (connection: Knex) => {
      await down?.(connection);
      await connection('knex_migrations').where({ name }).delete();
    };
    await (config?.transaction === false ? undo(knex) : knex.transaction(undo));
  }
}

/** The versions whose computed column is not what it should be, in a database whose fills are complete. */
export const wrongRows = `select count(*) as wrong from configuration_versions v
  where v.is_kept is distinct from ${column.value('v')}`;
