import type { Knex } from 'knex';
import { addColumnsToEach, dropColumnsFromEach, maybeText, type NewColumns } from './shared/columns.js';

export const config = { transaction: false };

/** Null for a grant without an end, as are all that the release before gives. The permissions are JSON. */
const ends = { expires_at: maybeText, then_level: maybeText, then_permissions: maybeText };

const columns: NewColumns = { team_workspaces: ends, team_projects: ends };

export const up = (knex: Knex): Promise<void> => addColumnsToEach(knex, columns);

export const down = (knex: Knex): Promise<void> => dropColumnsFromEach(knex, columns);
