import { onPostgres } from '../../engine/on-postgres.js';
import { prepared } from '../../engine/prepared.js';
import type { Statements } from '../../engine/statements.js';

const walking = prepared((sql) =>
  sql.raw(`select ${['seqscan', 'bitmapscan', 'sort'].map((way) => `set_config('enable_${way}', 'off', true)`)}`),
);

/**
 * Has the statements of this transaction walk along indexes. Postgres keeps a plan until statistics are renewed, a minute
 * later at best: one that was made while a table was small reads all of a backlog that came since, and one that expects
 * its first rows soon reads all that was removed before them.
 */
export async function walkIndexes(db: Statements): Promise<void> {
  if (onPostgres(db.sql)) await db.runLater(walking(db, {}));
}
