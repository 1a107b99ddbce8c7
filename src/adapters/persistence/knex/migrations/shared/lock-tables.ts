import type { Knex } from 'knex';

/** How long a statement of a migration waits for a lock. Then the migration is rolled back, and tried again. */
export const lockWait = '2s';

/** The tables that a migration locks. */
interface Locked {
  /**
   * Its shape changes: no other connection reads or writes it before the migration is committed. One table only: on a busy
   * server there is always a transaction that has read the second and waits for the first, so that no attempt at both succeeds.
   */
  readonly changed?: string;
  /** These are referred to, counted or indexed: other connections may read them, and not write. */
  readonly referredTo?: readonly string[];
}

/**
 * Locks every table that a migration changes or refers to, all at once or not at all. SQLite locks the whole database.
 * Transactions lock these tables in different orders, so waiting for the second while holding the first could deadlock.
 * A failed attempt releases all of them after a moment, before the database detects a deadlock and before requests that wait
 * behind it wait for long. Fails like any statement that waits for `lockWait`.
 */
export async function lockTables(knex: Knex, { changed, referredTo = [] }: Locked): Promise<void> {
  if (knex.client.driverName !== 'pg') return;
  const lock = (tables: readonly string[], mode: string) =>
    tables.length > 0 ? `lock table ${tables.join(', ')} in ${mode} mode;` : '';
  await knex.raw(`do $$ declare began timestamptz := clock_timestamp(); begin loop
  begin
    set local lock_timeout = '500ms';
    ${lock(changed === undefined ? [] : [changed], 'access exclusive')}
    ${lock(referredTo, 'share row exclusive')}
    exit;
  exception when lock_not_available then
    if clock_timestamp() > began + interval '${lockWait}' then raise; end if;
    perform pg_sleep(0.05);
  end;
end loop;
set local lock_timeout = '${lockWait}';
end $$`);
}
