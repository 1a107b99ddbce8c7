import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'workspaces_inheriting_destruction';

export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, {
    name,
    definition: `on workspaces (
      project_id,
      (case when inherited_destruction_since > last_state_at then inherited_destruction_since else last_state_at end)
    ) where last_state_at is not null and auto_destroy_by_kind is null and deleted_at is null
      and ignores_project_auto_destroy = FALSE
      and (inherited_destruction_done_for is null or inherited_destruction_done_for <> last_state_at)`,
  });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
