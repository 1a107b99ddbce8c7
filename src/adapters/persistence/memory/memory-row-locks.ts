import type { Lockable, RowLocks } from '../../../application/ports/repositories/row-locks.js';
import type { CurrentTables, MemoryTables } from './memory-tables.js';

const rowsOf = {
  organization: 'organizations',
  auditor: 'organizations',
  user: 'users',
  team: 'teams',
  project: 'projects',
  membership: 'memberships',
  'agent-pool': 'agentPools',
} as const satisfies Record<Lockable['kind'], keyof MemoryTables>;

/** Transactions are one at a time: whatever is there stays until the end. */
export class MemoryRowLocks implements RowLocks {
  constructor(private readonly tables: CurrentTables) {}

  async share({ kind, id }: Lockable): Promise<boolean> {
    const tables = this.tables();
    const rows: ReadonlyMap<string, unknown> = tables[rowsOf[kind]];
    return rows.has(id) && !tables.deletions.has(id);
  }

  take(what: Lockable): Promise<boolean> {
    return this.share(what);
  }

  async takeStale(): Promise<void> {}
}
