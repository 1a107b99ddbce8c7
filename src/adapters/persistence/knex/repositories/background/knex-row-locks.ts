import type { Knex } from 'knex';
import type { Lockable, RowLocks } from '../../../../../application/ports/repositories/row-locks.js';
import type { DomainError } from '../../../../../domain/index.js';
import { prepared } from '../../engine/prepared.js';
import type { Statements } from '../../engine/statements.js';

type Named = { readonly id: string };

/** The locks of a table. Deleted rows that stay for a while are `marked`, and not locked. */
const locksOf = (table: string, { marked }: { readonly marked: boolean }) => {
  const row = (sql: Knex, { id }: Named) =>
    sql(table)
      .where({ id, ...(marked && { deleted_at: null }) })
      .select('id');
  return {
    share: prepared((sql, named: Named) => row(sql, named).forKeyShare()),
    take: prepared((sql, named: Named) => row(sql, named).forUpdate()),
  };
};

const locks: Readonly<Record<Lockable['kind'], ReturnType<typeof locksOf>>> = {
  organization: locksOf('organizations', { marked: true }),
  auditor: locksOf('organizations', { marked: true }),
  user: locksOf('users', { marked: true }),
  team: locksOf('teams', { marked: true }),
  project: locksOf('projects', { marked: false }),
  membership: locksOf('organization_memberships', { marked: false }),
  'agent-pool': locksOf('agent_pools', { marked: false }),
};

/**
 * Row locks: a foreign key takes a key share lock on the row it refers to, which conflicts only with the full lock.
 * SQLite has one writer at a time and needs no locks.
 */
export class KnexRowLocks implements RowLocks {
  constructor(private readonly db: Statements) {}

  async share({ kind, id }: Lockable): Promise<boolean> {
    return (await this.db.first(locks[kind].share(this.db, { id }))) !== undefined;
  }

  async take({ kind, id }: Lockable): Promise<boolean> {
    return (await this.db.first(locks[kind].take(this.db, { id }))) !== undefined;
  }

  async takeStale({ details: { table, id } }: DomainError): Promise<void> {
    if (table === undefined || id === undefined) return;
    await this.db.first(this.db.sql(table).where({ id }).select('id').forNoKeyUpdate());
  }
}
