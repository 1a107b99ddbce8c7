import type { Knex } from 'knex';
import { createIndex, dropIndex } from './shared/indexes.js';

export const config = { transaction: false };

const name = 'notification_configurations_of_project';

export const up = (knex: Knex): Promise<void> =>
  createIndex(knex, { name, definition: 'on notification_configurations (project_id, created_at, id)' });

export const down = (knex: Knex): Promise<void> => dropIndex(knex, name);
