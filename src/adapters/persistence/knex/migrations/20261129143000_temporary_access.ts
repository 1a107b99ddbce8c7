import type { Knex } from 'knex';
import { addColumnsToEach, type Columns, dropColumnsFromEach, type NewColumns } from './shared/columns.js';

export const config = { transaction: false };

const text = (column: Columns, name: string) => column.maybeText(name);

/** Null for a grant without an end, as are all that the release before gives. The permissions are JSON. */
const ends = { expires_at: text, then_level: text, then_permissions: text };

const columns: NewColumns = { team_workspaces: ends, team_projects: ends };

export const up = (knex: Knex): Promise<void> => addColumnsToEach(knex, columns);

export const down = (knex: Knex): Promise<void> => dropColumnsFromEach(knex, columns);
