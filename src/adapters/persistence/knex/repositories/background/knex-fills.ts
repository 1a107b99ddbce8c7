import type { Fills } from '../../../../../application/ports/repositories/fills.js';
import { onPostgres } from '../../engine/on-postgres.js';
import type { Statements } from '../../engine/statements.js';
import { type Fill, keysAfter, visiting } from '../../migrations/shared/fills.js';

/** Ends before the database looks for deadlocks: others lock the same rows in another order. */
const shortWait = `set local lock_timeout = '200ms'`;

export class KnexFills implements Fills {
  constructor(
    private readonly db: Statements,
    /** Those of this release. */
    private readonly fills: readonly Fill[],
  ) {}

  async pending(): Promise<readonly string[]> {
    if (this.fills.length === 0) return [];
    const rows = await this.db.all<{ readonly name: string }>(
      this.db.sql('fills').where({ filled: false }).select('name'),
    );
    const open = rows.map(({ name }) => name);
    return this.fills.map(({ name }) => name).filter((name) => open.includes(name));
  }

  async advance(name: string, count: number): Promise<number | undefined> {
    const { sql } = this.db;
    const fill = this.fills.find((each) => each.name === name);
    if (fill === undefined) return undefined;
    const open = sql('fills').where({ name, filled: false }).select('last_key');
    const row = await this.db.first<{ readonly last_key: string }>(
      onPostgres(sql) ? open.forUpdate().skipLocked() : open,
    );
    if (row === undefined) return undefined;
    if (onPostgres(sql)) await this.db.runLater(sql.raw(shortWait));
    const keys = await this.db.all<{ readonly key: string }>(keysAfter(sql, fill, row.last_key, count));
    const last = keys.at(-1)?.key ?? row.last_key;
    if (keys.length > 0) await this.db.run(visiting(sql, fill, row.last_key, last));
    await this.db.runLater(
      sql('fills')
        .where({ name })
        .update({ last_key: last, filled: keys.length < count }),
    );
    return keys.length;
  }
}
