import Database from 'better-sqlite3';

/**
 * Writes what is committed at one moment into a new file. Other connections, and other processes, go on reading and
 * writing meanwhile. The new file is not forced to disk.
 */
export function snapshot(file: string, to: string): void {
  const database = new Database(file, { readonly: true, timeout: 5_000 });
  try {
    database.prepare('vacuum into ?').run(to);
  } finally {
    database.close();
  }
}
