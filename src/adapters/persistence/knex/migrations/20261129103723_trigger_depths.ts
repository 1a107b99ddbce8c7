import type { Knex } from 'knex';
import { addColumns, dropColumns } from './shared/columns.js';

export const up = (knex: Knex): Promise<void> =>
  addColumns(knex, 'runs', (column) => column.integer('trigger_depth').defaultTo(0));

export const down = (knex: Knex): Promise<void> => dropColumns(knex, 'runs', 'trigger_depth');
