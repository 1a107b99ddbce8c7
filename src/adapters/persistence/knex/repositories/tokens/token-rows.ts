import type { Knex } from 'knex';
import type { ApiToken, TokenOwner } from '../../../../../domain/index.js';
import { onPostgres } from '../../engine/on-postgres.js';
import { columnsFrom, prepared } from '../../engine/prepared.js';
import { rowsOf } from '../../engine/rows.js';

export interface OwnerRow {
  /** Exactly one of the three names its owner. */
  readonly user_id: string | null;
  readonly team_id: string | null;
  readonly organization_id: string | null;
  /** For an organization's two tokens: whether it is the audit token. */
  readonly audits: boolean | number;
}

export const ownerColumns = [
  'user_id',
  'team_id',
  'organization_id',
  'audits',
] as const satisfies readonly (keyof OwnerRow)[];

export const owners = {
  user: { column: 'user_id', table: 'users' },
  team: { column: 'team_id', table: 'teams' },
  organization: { column: 'organization_id', table: 'organizations' },
  auditor: { column: 'organization_id', table: 'organizations' },
} as const;

export function ownerFromRow(row: OwnerRow): TokenOwner {
  if (row.user_id !== null) return { kind: 'user', id: row.user_id };
  if (row.team_id !== null) return { kind: 'team', id: row.team_id };
  return { kind: row.audits ? 'auditor' : 'organization', id: row.organization_id as string };
}

export const tokenRows = rowsOf<ApiToken>((row, as) => ({
  id: row.id,
  owner: as.read(row, ownerColumns, ownerFromRow),
  secretDigest: row.secret_digest,
  description: row.description,
  createdBy: as.group(row.created_by_kind, { kind: row.created_by_kind, id: row.created_by_id }),
  madeInSession: as.flag(row.made_in_session),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
}));

const writtenColumns = tokenRows.columns.filter((column) => !(ownerColumns as readonly string[]).includes(column));

/**
 * A deleted owner has no id to refer to, so the foreign key refuses the row. The key share lock waits for a concurrent
 * deletion.
 */
const activeOwner = (sql: Knex, table: string, id: unknown): Knex.Raw =>
  sql.raw(`coalesce((?), '')`, [sharing(sql, sql(table).where({ id, deleted_at: null }).select('id'))]);

const sharing = (sql: Knex, row: Knex.QueryBuilder): Knex.QueryBuilder => (onPostgres(sql) ? row.forKeyShare() : row);

/**
 * One statement replaces the owner's token in its row, found by a unique index. The columns that lists keep in the row
 * stay, and a concurrent rename of the owner finds the row to change.
 */
export const replacing = (kind: 'team' | 'organization' | 'auditor', index: string) => {
  const upsert = prepared<Readonly<Record<string, unknown>>>((sql, row) => {
    const { column, table } = owners[kind];
    return sql('api_tokens')
      .insert({
        ...columnsFrom(row, writtenColumns),
        [column]: activeOwner(sql, table, row.owner),
        audits: kind === 'auditor',
      })
      .onConflict(sql.raw(index))
      .merge(writtenColumns);
  });
  return (db: Parameters<typeof upsert>[0], token: ApiToken) =>
    upsert(db, { ...tokenRows.write(token), owner: token.owner.id });
};
