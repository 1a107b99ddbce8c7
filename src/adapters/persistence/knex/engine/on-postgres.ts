import type { Knex } from 'knex';

/** Whether statements are for Postgres, and not for SQLite. */
export const onPostgres = (sql: Knex): boolean => sql.client.driverName === 'pg';
