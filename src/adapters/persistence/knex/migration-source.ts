import type { Knex } from 'knex';
import * as listed from './migrations.js';

const migrations: Readonly<Record<string, Knex.Migration>> = listed;

/** By the names that Knex's command line gives them, which a module sorts: those of the files in `migrations`. */
export const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: async () => Object.keys(migrations),
  getMigrationName: (name) => name,
  getMigration: async (name) => migrations[name] as Knex.Migration,
};
