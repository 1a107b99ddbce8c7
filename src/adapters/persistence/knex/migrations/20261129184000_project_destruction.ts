import type { Knex } from 'knex';
import { addColumnsToEach, type Columns, dropColumnsFromEach, type NewColumns } from './shared/columns.js';

export const config = { transaction: false };

const text = (column: Columns, name: string) => column.maybeText(name);

const columns: NewColumns = {
  projects: {
    auto_destroy_activity_duration: text,
    auto_destroy_since: text,
    auto_destroy_next_check_at: text,
    auto_destroy_by_kind: text,
    auto_destroy_by_id: text,
  },
  workspaces: {
    inherited_destruction_since: text,
    inherited_destruction_done_for: text,
    ignores_project_auto_destroy: (column, name) => column.flag(name).defaultTo(false),
  },
};

export const up = (knex: Knex): Promise<void> => addColumnsToEach(knex, columns);

export const down = (knex: Knex): Promise<void> => dropColumnsFromEach(knex, columns);
