import Database from 'better-sqlite3';

/**
 * Takes a lock that other processes see, and that the operating system gives back when this one dies however it dies:
 * an open exclusive transaction on a database of its own. Answers how to release it; undefined when another holds it.
 */
export function takeLock(file: string): (() => void) | undefined {
  const database = new Database(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
  return () => database.close();
}
