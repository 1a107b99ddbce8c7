import Database from 'better-sqlite3';
import { AdvanceFills } from '../../../application/background/advance-fills.js';
import type { ChangeListener } from '../../../application/ports/outside/changes.js';
import type { UnitOfWork } from '../../../application/ports/repositories/unit-of-work.js';
import { type MigratedDatabase, openOnConnection, openPostgres, openSqlite } from './knex-database.js';
import { isPostgres, newSqliteBytes } from './migrate.js';

const rowsAtATime = 500;

/** A database whose schema is that of this release. */
export interface OpenDatabase {
  readonly unitOfWork: UnitOfWork;
  /** Calls `listener` with the changes of each commit from now on. Must not throw. */
  onChange(listener: ChangeListener): void;
  /** Waits for open work to finish. */
  close(): Promise<void>;
}

/**
 * Opens a Postgres by its URL, or SQLite in a file, which is created if missing, or in `:memory:`, whose rows are gone
 * with the process. Brings the schema up to date, and the rows that were there before. Rejects if a newer release has migrated the
 * database.
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
    await fill(new AdvanceFills(database.unitOfWork));
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A program that embeds the library has no worker. A fill that another process works on is left to it. */
async function fill(fills: AdvanceFills): Promise<void> {
  for (const name of await fills.pending()) {
    for (let more = true; more; ) {
      const batch = await fills.execute(name, rowsAtATime);
      more = batch !== undefined && !batch.complete;
    }
  }
}
