import type { Knex } from 'knex';
import { lockWait } from './lock-tables.js';

interface Index {
  readonly name: string;
  /** The SQL from `on` to the end. */
  readonly definition: string;
  readonly unique?: boolean;
}

/**
 * Builds an index while other connections write to the table. May run again after it died half-way. For a migration that
 * exports `config = { transaction: false }` and does nothing else.
 */
export async function createIndex(knex: Knex, { name, definition, unique = false }: Index): Promise<void> {
  const kind = unique ? 'unique index' : 'index';
  if (knex.client.driverName !== 'pg') {
    await knex.raw(`create ${kind} if not exists ${name} ${definition}`);
    return;
  }
  // Waiting for old transactions and for other changes of the table keeps no request waiting.
  await knex.raw('set lock_timeout = 0');
  try {
    await dropInvalid(knex, name);
    await knex.raw(`create ${kind} concurrently if not exists ${name} ${definition}`);
  } finally {
    await knex.raw(`set lock_timeout = '${lockWait}'`);
  }
}

export async function dropIndex(knex: Knex, name: string): Promise<void> {
  await knex.raw(`drop index ${knex.client.driverName === 'pg' ? 'concurrently ' : ''}if exists ${name}`);
}

/** A build that failed leaves an index that every write maintains and no query uses. */
async function dropInvalid(knex: Knex, name: string): Promise<void> {
  const { rows } = await knex.raw(
    'select 1 from pg_index where indexrelid = to_regclass(?) and not (indisvalid and indisready)',
    [name],
  );
  if (rows.length > 0) await knex.raw(`drop index concurrently ${name}`);
}
