import type { Knex } from 'knex';
import type { Instant } from '../../../../domain/index.js';
import { onPostgres } from './on-postgres.js';

/**
 * The present instant as statements know it: that of the database on Postgres, that of this process on SQLite. It never
 * goes back within a process, whatever a clock does.
 */
export class Present {
  private latest: Instant = '';

  constructor(private readonly clock?: () => Instant) {}

  /** The value of the placeholder in `presentIn`. */
  soFar(): Instant {
    if (this.clock !== undefined) this.reached(this.clock());
    return this.latest;
  }

  /** Called with the instants that statements return. */
  reached(at: Instant): void {
    if (at > this.latest) this.latest = at;
  }
}

/** The same within a statement, so that all of its rows are judged at one instant. */
const ofDatabase = `greatest(to_char(statement_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') collate "C", ?)`;

/** An expression whose text does not vary. SQLite does not look at a value behind a sign, and need not plan again. */
export const presentIn = (sql: Knex, soFar: Instant): Knex.Raw => sql.raw(onPostgres(sql) ? ofDatabase : '+?', [soFar]);
