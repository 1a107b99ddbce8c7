import type { Knex } from 'knex';

/**
 * Writes what a migration adds for the rows that were there before. Instances do it in batches while they serve. It
 * is read only once every row is visited: until then, the query of the release before answers.
 */
export interface Fill {
  /** Also the name of its row in `fills`, which is the switch. */
  readonly name: string;
  /** The table whose rows are visited, in the order of their key. */
  readonly over: string;
  /** A column of unique texts; `id` if omitted. */
  readonly key?: string;
  /**
   * The SQL that visits the rows for which the condition `rows` holds, which names the table by its own name. It may run
   * twice for a row, and while triggers write the same: they must win.
   */
  readonly statement: (rows: string) => string;
}

/** Orders a fill. Without any row to visit it is complete at once. Call it in the transaction that places the triggers. */
export async function declareFills(knex: Knex, ...fills: readonly Fill[]): Promise<void> {
  for (const { name, over } of fills) {
    const isEmpty = (await knex(over).first(knex.raw('1'))) === undefined;
    await knex('fills').insert({ name, last_key: '', filled: isEmpty });
  }
}

/** Undoes `declareFills`. */
export async function forgetFills(knex: Knex, ...fills: readonly Fill[]): Promise<void> {
  const names = fills.map(({ name }) => name);
  await knex('fills').whereIn('name', names).delete();
}

const batch = 1_000;

/**
 * For a release without the query of before: visits the rows that are left before anything else is done, while the release
 * before serves. For a migration that exports `config = { transaction: false }`.
 */
export async function finishFills(knex: Knex, ...fills: readonly Fill[]): Promise<void> {
  for (const fill of fills) {
    const open = () => knex('fills').where({ name: fill.name, filled: false });
    for (;;) {
      const row = await open().first('last_key');
      if (row === undefined) break;
      const keys: readonly { readonly key: string }[] = await keysAfter(knex, fill, row.last_key, batch);
      const last = keys.at(-1)?.key ?? row.last_key;
      if (keys.length > 0) await visiting(knex, fill, row.last_key, last);
      await open().update({ last_key: last, filled: keys.length < batch });
    }
  }
}

/** The keys of the next rows. `count` becomes part of the text: Postgres estimates a bound limit as a tenth of the rows. */
export const keysAfter = (sql: Knex, { over, key = 'id' }: Fill, after: string, count: number): Knex.QueryBuilder =>
  sql(over).where(key, '>', after).orderBy(key).limit(count, { skipBinding: true }).select({ key });

/** Visits the rows after one key, up to another. */
export const visiting = (sql: Knex, { over, key = 'id', statement }: Fill, after: string, upTo: string): Knex.Raw =>
  sql.raw(statement(`${over}.${key} > :after and ${over}.${key} <= :upTo`), { after, upTo });
