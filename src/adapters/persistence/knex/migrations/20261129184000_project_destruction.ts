import type { Knex } from 'knex';
import { addColumnsToEach, dropColumnsFromEach, maybeText, type NewColumns } from './shared/columns.js';

export const config = { transaction: false };

const columns: NewColumns = {
  projects: {
    auto_destroy_activity_duration: maybeText,
    auto_destroy_since: maybeText,
    auto_destroy_next_check_at: maybeText,
    auto_destroy_by_kind: maybeText,
    auto_destroy_by_id: maybeText,
  },
  workspaces: {
    inherited_destruction_since: maybeText,
    inherited_destruction_done_for: maybeText,
    ignores_project_auto_destroy: (column, name) => column.flag(name).defaultTo(false),
  },
};

export const up = (knex: Knex): Promise<void> => addColumnsToEach(knex, columns);

export const down = (knex: Knex): Promise<void> => dropColumnsFromEach(knex, columns);
