import Database from 'better-sqlite3';
import type { ChangeListener } from '../../../application/ports/outside/changes.js';
import type { UnitOfWork } from '../../../application/ports/repositories/unit-of-work.js';
import { type MigratedDatabase, openOnConnection, openPostgres, openSqlite } from './knex-database.js';
import { newSqliteBytes } from './migrate.js';

/** A database whose schema is that of this release. */
export interface OpenDatabase {
  readonly unitOfWork: UnitOfWork;
  /** Calls `listener` with the changes of each commit from now on. Must not throw. */
  onChange(listener: ChangeListener): void;
  /** Waits for open work to finish. */
  close(): Promise<void>;
}

const isPostgres = (place: string): boolean => /^postgres(ql)?:/.test(place);

/**
 * Opens a Postgres by its URL, or SQLite in a file, which is created if missing, or in `:memory:`, whose rows are gone
 * with the process. Brings the schema up to date. Rejects if a newer release has migrated the database.
 */
export async function openDatabase(place: string): Promise<OpenDatabase> {
  const database = await migrated(place);
  return {
    unitOfWork: database.unitOfWork,
    onChange: (changed) => database.onChange({ ordered: () => {}, changed }),
    close: () => database.close(),
  };
}

async function migrated(place: string): Promise<MigratedDatabase> {
  if (place === ':memory:') return openOnConnection(new Database(await newSqliteBytes()));
  const database = isPostgres(place) ? openPostgres(place) : openSqlite(place);
  try {
    await database.migrate();
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
