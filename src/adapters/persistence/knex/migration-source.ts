import type { Knex } from 'knex';
import type { Fill } from './migrations/shared/fills.js';
import * as listed from './migrations.js';

/** A migration file. */
export interface Migration extends Knex.Migration {
  readonly fills?: readonly Fill[];
  /** Knex runs a migration in a transaction unless it says otherwise. */
  readonly config?: { readonly transaction: boolean };
}

/** The migrations of a release, and what instances fill after them. */
export interface Migrations {
  readonly source: Knex.MigrationSource<string>;
  readonly fills: readonly Fill[];
}

/** By the names that Knex's command line gives them, in their order. */
export const migrationsOf = (migrations: Readonly<Record<string, Migration>>): Migrations => ({
  source: {
    getMigrations: async () => Object.keys(migrations),
    getMigrationName: (name) => name,
    getMigration: async (name) => migrations[name] as Knex.Migration,
  },
  fills: Object.values(migrations).flatMap(({ fills = [] }) => fills),
});

/** The files in `migrations`, which a module sorts. */
export const ownMigrations = migrationsOf(listed);

export const migrationSource = ownMigrations.source;
