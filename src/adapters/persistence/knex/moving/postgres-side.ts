import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { isDirect } from '../engine/postgres-sessions.js';
import { postgresConfig } from '../migrate.js';
import { UnusableDatabase } from '../schema.js';
import { listed, maxBatch, quoted, type Source, type Target } from './side.js';
import { type Column, isOfKnex, type Row, type Table } from './tables.js';

const read = ({ name, kind }: Column): string => {
  const column = quoted(name);
  switch (kind) {
    case 'text':
      return column;
    case 'number':
      return `${column}::text`;
    case 'flag':
      return `${column}::int::text`;
    case 'bytes':
      return `upper(encode(${column}, 'hex'))`;
  }
};

const written = ({ name, kind }: Column): string => {
  const value = `r.${quoted(name)}`;
  switch (kind) {
    case 'text':
      return value;
    case 'number':
      return `${value}::bigint`;
    case 'flag':
      return `${value}::int::boolean`;
    case 'bytes':
      return `decode(${value}, 'hex')`;
  }
};

const selected = ({ name, columns, key }: Table, where = 'true'): string => {
  const order = listed(key, (each) => `${quoted(each.name)}${each.kind === 'text' ? ' collate "C"' : ''}`);
  return `select ${listed(columns, read)} from ${quoted(name)} where ${where} order by ${order}`;
};

const largestRow = ({ name, columns }: Table): string => {
  const sizes = columns
    .filter(({ kind }) => kind === 'text' || kind === 'bytes')
    .map((column) => `coalesce(octet_length(${quoted(column.name)}), 0)`);
  return `select max(${['1', ...sizes].join(' + ')}) from ${quoted(name)}`;
};

/** How long sessions of instances that were just stopped may still be open, in milliseconds. */
const sessionsEndWithin = 3_000;

/** A lock is waited for in vain only if another session uses the table. The other limits are those of short requests. */
const limits = `select set_config(name, case name when 'lock_timeout' then '5s' else '0' end, false) from pg_settings
  where name in ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

const sequenceOf = ({ name, counted }: Table): string => `pg_get_serial_sequence('${quoted(name)}', '${counted}')`;

export class PostgresSource implements Source {
  protected constructor(private readonly client: pg.Client) {}

  /** Other sessions may read the database, and not write to it, until it is closed. */
  static async open(url: string): Promise<PostgresSource> {
    const source = new PostgresSource(await connected(url, 'source'));
    try {
      const names = (await source.tableNames()).filter((name) => !isOfKnex(name));
      // The first query after the lock decides what is seen.
      await source.query('begin isolation level repeatable read read only');
      await source.query(`lock table ${names.map(quoted).join(', ')} in share mode`);
      return source;
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  async *batches(table: Table): AsyncGenerator<readonly Row[]> {
    const [[largest] = []] = await this.query(largestRow(table));
    const fitting = Math.floor(maxBatch.bytes / Number(largest ?? 1));
    const count = Math.max(1, Math.min(maxBatch.rows, fitting));
    await this.query(`declare moved no scroll cursor for ${selected(table)}`);
    for (let full = true; full; ) {
      const rows = await this.query(`fetch ${count} from moved`);
      if (rows.length > 0) yield rows;
      full = rows.length === count;
    }
    await this.query('close moved');
  }

  first(table: Table, count: number, where?: string): Promise<readonly Row[]> {
    return this.query(`${selected(table, where)} limit ${count}`);
  }

  async lastNumber(table: Table): Promise<string> {
    const [[sequence] = []] = await this.query(`select ${sequenceOf(table)}`);
    const [[last] = []] = await this.query(`select case when is_called then last_value else 0 end from ${sequence}`);
    return last ?? '0';
  }

  async tableNames(): Promise<readonly string[]> {
    const names = await this.query('select tablename::text from pg_tables where schemaname = current_schema()');
    return names.map(([name]) => name ?? '');
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  /** In one round trip. */
  protected async execute(statements: readonly string[]): Promise<void> {
    await this.client.query(statements.join('; '));
  }

  protected async query(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.client.query<(string | null)[]>({ text, values: [...values], rowMode: 'array' });
    return rows;
  }
}

export class PostgresTarget extends PostgresSource implements Target {
  static override async open(url: string): Promise<PostgresTarget> {
    return new PostgresTarget(await connected(url, 'target'));
  }

  async mark(name: string): Promise<void> {
    await this.query('insert into knex_migrations (name, batch, migration_time) values ($1, 0, now())', [name]);
  }

  /** The owner of a table may disable its triggers, but not those of foreign keys. */
  async begin(tables: readonly Table[]): Promise<void> {
    await this.execute(['begin', ...tables.map(({ name }) => `alter table ${quoted(name)} disable trigger user`)]);
  }

  async clear({ name }: Table): Promise<void> {
    await this.query(`delete from ${quoted(name)}`);
  }

  async write({ name, columns }: Table, rows: readonly Row[]): Promise<void> {
    const names = listed(columns, (column) => quoted(column.name));
    const arrays = listed(columns, (_, place) => `$${place + 1}::text[]`);
    await this.query(
      `insert into ${quoted(name)} (${names}) select ${listed(columns, written)} from unnest(${arrays}) as r (${names})`,
      columns.map((_, place) => rows.map((row) => row[place])),
    );
  }

  async setLastNumber(table: Table, number: string): Promise<void> {
    await this.query(`select setval(${sequenceOf(table)}, greatest($1::bigint, 1), $1::bigint > 0)`, [number]);
  }

  async commit(tables: readonly Table[], mark: string): Promise<void> {
    await this.execute(tables.map(({ name }) => `alter table ${quoted(name)} enable trigger user`));
    // Otherwise the first searches would be planned for empty tables.
    await this.execute([`analyze ${tables.map(({ name }) => quoted(name)).join(', ')}`]);
    await this.query('delete from knex_migrations where name = $1', [mark]);
    await this.query('commit');
  }
}

/** Throws `UnusableDatabase` if the database has other sessions, as those of a running instance. */
async function connected(url: string, side: 'source' | 'target'): Promise<pg.Client> {
  // While nothing is sent, only this finds out that the server has gone.
  const client = new pg.Client({
    ...(postgresConfig(url).connection as pg.ClientConfig),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // Texts, whatever the type.
    types: { getTypeParser: () => (value: string) => value },
  });
  // The statement that waits for the connection reports it.
  client.on('error', () => {});
  await client.connect();
  try {
    if (!(await isDirect(client))) {
      throw new UnusableDatabase(
        `a pooler stands before the ${side}`,
        'name an address of the same database without it: --to for the target, DATABASE_DIRECT_URL for the source',
      );
    }
    await client.query(limits);
    for (const began = performance.now(); ; await pause(20)) {
      const { rows } = await client.query<{ others: string }>(
        `select count(*) as others from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and usesysid is not null`,
      );
      const others = Number(rows[0]?.others);
      if (others === 0) return client;
      if (performance.now() - began < sessionsEndWithin) continue;
      throw new UnusableDatabase(
        `the ${side} is in use: ${others} other sessions are connected to it`,
        'stop every instance, and end connections of poolers and other programs',
      );
    }
  } catch (error) {
    await client.end();
    throw error;
  }
}
