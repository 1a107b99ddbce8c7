import DataLoader from 'dataloader';
import type { Compiled, Statements } from './statements.js';

/** More go in several statements. */
const maxKeys = 128;

/**
 * Finds the row that has a key. If the statements batch, one of them has the keys of all that ask in one turn of the event
 * loop; a request alone in its turn waits for nothing. If it fails, each key is repeated alone, so that only those fail
 * that fail alone. `statement` finds the rows of `keys`, at most one for each.
 */
export function byKey<Row>(
  statement: (db: Statements, values: { readonly keys: readonly string[] }) => Compiled,
  keyOf: (row: Row) => string,
): (db: Statements, key: string) => Promise<Row | undefined> {
  const loaders = new WeakMap<Statements, DataLoader<string, Row | undefined>>();
  const alone = (db: Statements, key: string) => db.first<Row>(statement(db, { keys: [key] }));
  const together = async (db: Statements, keys: readonly string[]): Promise<(Row | undefined | Error)[]> => {
    try {
      const rows = await db.all<Row>(statement(db, { keys: [...new Set(keys)] }));
      const found = new Map(rows.map((row) => [keyOf(row), row]));
      return keys.map((key) => found.get(key));
    } catch (error) {
      if (keys.length === 1) throw error;
      return Promise.all(keys.map((key) => alone(db, key).catch((failure: Error) => failure)));
    }
  };
  return (db, key) => {
    if (!db.batches) return alone(db, key);
    let loader = loaders.get(db);
    if (loader === undefined) {
      loader = new DataLoader((keys: readonly string[]) => together(db, keys), {
        // Each request sees what is committed, such as the revocation of a token.
        cache: false,
        maxBatchSize: maxKeys,
        batchScheduleFn: setImmediate,
      });
      loaders.set(db, loader);
    }
    return loader.load(key);
  };
}
