import type { Knex } from 'knex';
import { onPostgres } from '../../engine/on-postgres.js';
import { prepared } from '../../engine/prepared.js';
import type { Compiled, Statements } from '../../engine/statements.js';

export interface FoundRow extends Readonly<Record<string, unknown>> {
  readonly key: string;
}

interface Options {
  /** `place` for tables without an id: where the row is stored, which stays the same until it is changed. */
  readonly key?: 'id' | 'place';
  /** The limit of rows at once; the caller's counts too. */
  readonly max?: number;
  /** The columns that name bundles. */
  readonly bundles?: readonly string[];
  /** The size of a row's long values. */
  readonly bytes?: string;
  /** Further columns, for `afterwards`. */
  readonly also?: readonly string[];
  readonly afterwards?: (db: Statements, rows: readonly FoundRow[]) => Promise<void>;
}

/** The rows of one table that refer to rows that are being removed, and what hangs on them in turn. */
export interface Branch extends Pick<Options, 'max' | 'afterwards'> {
  readonly bundles: readonly string[];
  readonly branches: readonly Branch[];
  readonly find: (db: Statements, of: { readonly ids: readonly string[]; readonly limit: number }) => Compiled;
  readonly remove: (db: Statements, of: { readonly keys: readonly string[] }) => Compiled;
}

const placeIn = (sql: Knex): string => (onPostgres(sql) ? 'ctid' : 'rowid');

export function branch(
  table: string,
  parent: string,
  { key = 'id', max, bundles = [], bytes, also = [], afterwards }: Options = {},
  branches: readonly Branch[] = [],
): Branch {
  const column = (sql: Knex) => (key === 'id' ? key : placeIn(sql));
  return {
    bundles,
    branches,
    ...(max !== undefined && { max }),
    ...(afterwards !== undefined && { afterwards }),
    find: prepared((sql, { ids, limit }: { readonly ids: readonly string[]; readonly limit: number }) =>
      sql(table)
        .whereIn(parent, ids)
        .select(sql.raw(`${column(sql)} as key`), ...bundles, ...also)
        .select(bytes === undefined ? [] : [sql.raw(`${bytes} as bytes`)])
        .limit(limit, { skipBinding: true }),
    ),
    remove: prepared((sql, { keys }: { readonly keys: readonly string[] }) =>
      sql(table)
        .whereIn(sql.raw(column(sql)) as unknown as string, keys)
        .delete(),
    ),
  };
}
