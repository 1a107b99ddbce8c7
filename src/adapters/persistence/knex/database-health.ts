import Database from 'better-sqlite3';
import knex from 'knex';
import type { Instant } from '../../../domain/index.js';
import { onClient, roleSettings, type SessionKind, sessionKindAt, wantedOfRole } from './engine/postgres-sessions.js';
import { postgresConfig } from './migrate.js';
import { connectionOf, identityOf, type PostgresPlace, sessionOf } from './migrate-postgres.js';

const faultsShown = 5;

/** The faults `quick_check` finds in the file; empty if it finds none. Takes as long as reading the file. */
export function faultsInFile(file: string): readonly string[] {
  const database = new Database(file, { readonly: true, timeout: 5_000 });
  try {
    const found = database.pragma(`quick_check(${faultsShown})`) as readonly { readonly quick_check: string }[];
    return found.map(({ quick_check: fault }) => fault).filter((fault) => fault !== 'ok');
  } finally {
    database.close();
  }
}

/** The state a Postgres server reports of itself. */
export interface PostgresHealth {
  /** As a number that grows with it: 180004 for 18.4. */
  readonly version: number;
  /** By its clock, in the middle of the question. */
  readonly now: Instant;
  readonly readOnly: boolean;
  /** By their names in Postgres. */
  readonly settings: Readonly<Record<(typeof settingNames)[number], string>>;
}

const settingNames = ['server_encoding', 'fsync', 'full_page_writes', 'synchronous_commit', 'max_connections'] as const;

/** Rejects with what keeps it from answering. */
export async function readPostgresHealth(url: string): Promise<PostgresHealth> {
  const pool = knex({ ...postgresConfig(url), pool: { min: 0, max: 1 } });
  try {
    const shown = settingNames.map((name) => `current_setting('${name}') as ${name}`);
    const { rows } = await pool.raw<{ rows: Record<string, string>[] }>(
      `select current_setting('server_version_num') as version, clock_timestamp() as now, pg_is_in_recovery() or
        current_setting('transaction_read_only')::boolean as read_only, ${shown.join(', ')}`,
    );
    const [{ version, now, read_only: readOnly, ...settings } = {}] = rows;
    return {
      version: Number(version),
      now: new Date(String(now)).toISOString(),
      readOnly: String(readOnly) === 'true',
      settings: settings as PostgresHealth['settings'],
    };
  } finally {
    await pool.destroy();
  }
}

/** How Postgres is reached. */
export interface PostgresReach {
  /** Through `DATABASE_URL`. */
  readonly session: SessionKind;
  /** For migrations and notifications. */
  readonly directSession: SessionKind;
  readonly sameDatabase: boolean;
  /** Settings that the role needs behind a pooler, and lacks. */
  readonly missing: readonly string[];
  /** The statements that give the role what is missing. */
  readonly remedy: string;
}

/** Rejects with what keeps it from answering. Takes a few seconds behind a pooler that shares its sessions. */
export async function readPostgresReach(place: PostgresPlace): Promise<PostgresReach> {
  const direct = sessionOf(place);
  const kindAt = (url: string, pooling: PostgresPlace['pooling']) => sessionKindAt(connectionOf(url), pooling);
  const session = await kindAt(place.url, place.pooling);
  const isDirect = direct.url !== place.url;
  const { role, ...found } = await roleAt(place.url);
  const missing = roleSettings.filter((name) => found[name] === unset[name]);
  return {
    session,
    directSession: isDirect ? await kindAt(direct.url, direct.pooling) : session,
    sameDatabase: !isDirect || (await identityOf(direct.url)) === (await identityOf(place.url)),
    missing,
    remedy: missing.map((name) => `alter role ${role} set ${name} = '${wantedOfRole(name)}';`).join(' '),
  };
}

/** As Postgres shows their defaults. */
const unset = {
  lock_timeout: '0',
  statement_timeout: '0',
  jit: 'on',
  max_parallel_workers_per_gather: '2',
} as const;

async function roleAt(url: string): Promise<Record<(typeof roleSettings)[number] | 'role', string>> {
  const shown = roleSettings.map((name) => `current_setting('${name}') as ${name}`).join(', ');
  const asked = `select quote_ident(current_user) as role, ${shown}`;
  return (await onClient(connectionOf(url), (client) => client.query(asked))).rows[0];
}
