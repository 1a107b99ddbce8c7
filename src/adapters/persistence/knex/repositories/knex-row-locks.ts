import type { Knex } from 'knex';
import type { Lockable, RowLocks } from '../../../../application/ports/repositories/row-locks.js';
import type { DomainError } from '../../../../domain/index.js';
import type { Statements } from '../engine/statements.js';

/** Some rows stay for a while after they are deleted. */
const tables: Readonly<Record<Lockable['kind'], { readonly name: string; readonly marked: boolean }>> = {
  organization: { name: 'organizations', marked: true },
  auditor: { name: 'organizations', marked: true },
  user: { name: 'users', marked: true },
  team: { name: 'teams', marked: true },
  project: { name: 'projects', marked: false },
  membership: { name: 'organization_memberships', marked: false },
  'agent-pool': { name: 'agent_pools', marked: false },
};

/**
 * Row locks: a foreign key takes a key share lock on the row it refers to, which conflicts only with the full lock.
 * SQLite has one writer at a time and needs no locks.
 */
export class KnexRowLocks implements RowLocks {
  constructor(private readonly db: Statements) {}

  share(what: Lockable): Promise<boolean> {
    return this.hold(what, (row) => row.forKeyShare());
  }

  take(what: Lockable): Promise<boolean> {
    return this.hold(what, (row) => row.forUpdate());
  }

  async takeStale({ details: { table, id } }: DomainError): Promise<void> {
    if (table === undefined || id === undefined) return;
    await this.db.first(this.db.sql(table).where({ id }).select('id').forNoKeyUpdate());
  }

  private async hold({ kind, id }: Lockable, lock: (row: Knex.QueryBuilder) => Knex.QueryBuilder): Promise<boolean> {
    const { name, marked } = tables[kind];
    const row = this.db
      .sql(name)
      .where({ id, ...(marked && { deleted_at: null }) })
      .select('id');
    return (await this.db.first(lock(row))) !== undefined;
  }
}
