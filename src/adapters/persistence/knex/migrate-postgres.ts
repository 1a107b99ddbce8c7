import type pg from 'pg';
import { onClient, type Pooling, sessionKindAt } from './engine/postgres-sessions.js';
import { migrate, postgresConfig } from './migrate.js';
import type { MigrateOptions } from './migrate-while-serving.js';
import { type Schema, schemaOf, UnusableDatabase } from './schema.js';

/** The addresses of a Postgres, as the operator sets them. */
export interface PostgresPlace {
  readonly url: string;
  /** The same database without a pooler. */
  readonly directUrl?: string | undefined;
  readonly pooling: Pooling;
}

/** The address for migrations and notifications, which need a session of their own. */
export const sessionOf = ({ url, directUrl, pooling }: PostgresPlace) => ({
  url: directUrl ?? url,
  pooling: directUrl === undefined ? pooling : ('auto' as const),
});

export const connectionOf = (url: string): pg.ClientConfig => postgresConfig(url).connection as pg.ClientConfig;

/**
 * Brings the schema up to date. Throws `UnusableDatabase` if migrations are pending and a pooler shares the only session,
 * and if the direct address leads to another database.
 */
export async function migratePostgres(place: PostgresPlace, options: MigrateOptions = {}): Promise<void> {
  const { url, pooling } = sessionOf(place);
  if (url !== place.url && (await identityOf(url)) !== (await identityOf(place.url))) {
    throw new UnusableDatabase(
      'DATABASE_DIRECT_URL and DATABASE_URL lead to different databases',
      'set both to the same database',
    );
  }
  if ((await sessionKindAt(connectionOf(url), pooling)) !== 'shared') return migrate(postgresConfig(url), options);
  const { missing, refusal } = await schemaOf(postgresConfig(url), options.migrations);
  if (refusal !== undefined) throw refusal;
  if (missing.length > 0) throw sharedSession({ missing });
}

const sharedSession = ({ missing }: Pick<Schema, 'missing'>): UnusableDatabase =>
  new UnusableDatabase(
    `the database has pending migrations (${missing.join(', ')}), which cannot run through a pooler that shares connections between transactions`,
    'set DATABASE_DIRECT_URL to an address of the same database without that pooler',
  );

/** The same for two addresses of one database. */
export async function identityOf(url: string): Promise<string> {
  const asked = `select concat_ws(' ', pg_postmaster_start_time(), current_database()) as identity`;
  const { rows } = await onClient(connectionOf(url), (client) => client.query<{ identity: string }>(asked));
  return rows[0]?.identity ?? '';
}
