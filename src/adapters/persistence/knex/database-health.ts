import Database from 'better-sqlite3';
import knex from 'knex';
import type { Instant } from '../../../domain/index.js';
import { postgresConfig } from './migrate.js';

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
