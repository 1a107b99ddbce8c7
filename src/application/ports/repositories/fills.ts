/**
 * Columns and tables that migrations of this release added, and that have to be filled for the rows that were there before.
 * Until then they are not read.
 */
export interface Fills {
  /** The names of those that are not complete. */
  pending(): Promise<readonly string[]>;
  /**
   * Fills the next `count` rows, and returns how many there were. Fewer complete the fill. Returns undefined if it is complete, or another
   * transaction works on it. Throws `shared/stale-revision` if it would wait for the lock of a row for long.
   */
  advance(name: string, count: number): Promise<number | undefined>;
}
