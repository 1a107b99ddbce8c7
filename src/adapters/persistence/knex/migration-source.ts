import type { Knex } from 'knex';
import * as schema from './migrations/20261128080000_schema.js';

/** By the names that Knex's command line gives them: those of the files in `migrations`, in their order. */
const migrations: Readonly<Record<string, Knex.Migration>> = {
  '20261128080000_schema.ts': schema,
};

export const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: async () => Object.keys(migrations),
  getMigrationName: (name) => name,
  getMigration: async (name) => migrations[name] as Knex.Migration,
};
