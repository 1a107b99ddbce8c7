import type { Knex } from 'knex';
import type {
  CounterDrift,
  KeptBy,
  KeptBytes,
  OrganizationBytes,
} from '../../../../../application/ports/repositories/kept-bytes.js';
import type { OrganizationId, WorkspaceId } from '../../../../../domain/index.js';
import { prepared } from '../../engine/prepared.js';
import type { Statements } from '../../engine/statements.js';
import { keptRows } from '../../migrations/20261128080000_schema.js';

/** Postgres answers a bigint as text. */
interface CountedRow {
  readonly bytes: number | string;
}

type OrganizationRow = CountedRow & Pick<OrganizationBytes, 'id' | 'name'>;

const ofOrganization = prepared((sql, { id }: { readonly id: OrganizationId }) =>
  sql('kept_bytes').where('organization_id', id).select('bytes'),
);

const ofWorkspace = prepared((sql, { id }: { readonly id: WorkspaceId }) =>
  sql('workspaces as w')
    .join('kept_bytes as k', 'k.organization_id', 'w.organization_id')
    .where('w.id', id)
    .select('k.bytes'),
);

const living = (sql: Knex): Knex.QueryBuilder => sql('organizations as o').whereNull('o.deleted_at');

/** Triggers keep the counter. */
export class KnexKeptBytes implements KeptBytes {
  constructor(private readonly db: Statements) {}

  async of(place: KeptBy): Promise<number> {
    const counter =
      'organizationId' in place
        ? ofOrganization(this.db, { id: place.organizationId })
        : ofWorkspace(this.db, { id: place.workspaceId });
    return Number((await this.db.first<CountedRow>(counter))?.bytes ?? 0);
  }

  async largest(limit: number): Promise<readonly OrganizationBytes[]> {
    const rows = await this.db.all<OrganizationRow>(
      living(this.db.sql)
        .join('kept_bytes as k', 'k.organization_id', 'o.id')
        .where('k.bytes', '>', 0)
        .select('o.id', 'o.name', 'k.bytes')
        .orderBy('k.bytes', 'desc')
        .limit(limit),
    );
    return rows.map(({ id, name, bytes }) => ({ id, name, bytes: Number(bytes) }));
  }

  async drifts(): Promise<readonly CounterDrift[]> {
    const { sql } = this.db;
    const sums = sql.raw(`(select organization_id, sum(bytes) as bytes from (${keptRows}) as f group by 1) as s`);
    const rows = await this.db.all<OrganizationRow & { readonly counted: number | string }>(
      living(sql)
        .leftJoin('kept_bytes as k', 'k.organization_id', 'o.id')
        .leftJoin(sums, 's.organization_id', 'o.id')
        .whereRaw('coalesce(k.bytes, 0) <> coalesce(s.bytes, 0)')
        .select('o.id', 'o.name', sql.raw('coalesce(k.bytes, 0) as bytes'), sql.raw('coalesce(s.bytes, 0) as counted'))
        .orderBy('o.name'),
    );
    return rows.map(({ id, name, bytes, counted }) => ({ id, name, bytes: Number(bytes), counted: Number(counted) }));
  }

  async recount(id: OrganizationId): Promise<void> {
    const { sql } = this.db;
    // Locks the counter first: who adds bytes meanwhile waits, and is then added to the sum.
    const counter = sql('kept_bytes').insert({ organization_id: id, bytes: 0 }).onConflict('organization_id');
    await this.db.run(counter.merge({ bytes: sql.raw('kept_bytes.bytes') }));
    const sum = sql.raw(`(select coalesce(sum(bytes), 0) from (${keptRows}) as f where organization_id = ?)`, [id]);
    await this.db.run(sql('kept_bytes').where('organization_id', id).update({ bytes: sum }));
  }
}
