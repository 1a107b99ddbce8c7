import Database from 'better-sqlite3';
import { listed, maxBatch, quoted, type Source, type Target } from './side.js';
import type { Column, Row, Table } from './tables.js';

const read = ({ name, kind }: Column): string => {
  const column = quoted(name);
  if (kind === 'text') return column;
  return kind === 'bytes' ? `iif(${column} is null, null, hex(${column}))` : `cast(${column} as text)`;
};

const selected = ({ name, columns, key }: Table, where = 'true'): string =>
  `select ${listed(columns, read)} from ${quoted(name)} where ${where} order by ${listed(key, (each) => quoted(each.name))}`;

const bytesOf = (row: Row): number => row.reduce((sum, value) => sum + (value?.length ?? 0), 0);

export class SqliteSource implements Source {
  constructor(protected readonly connection: Database.Database) {}

  static open(file: string): SqliteSource {
    const connection = new Database(file, { readonly: true, timeout: 5_000 });
    connection.exec('begin');
    return new SqliteSource(connection);
  }

  async *batches(table: Table): AsyncGenerator<readonly Row[]> {
    let batch: Row[] = [];
    let bytes = 0;
    for (const row of this.connection.prepare(selected(table)).raw().iterate() as Iterable<Row>) {
      batch.push(row);
      bytes += bytesOf(row);
      if (batch.length < maxBatch.rows && bytes < maxBatch.bytes) continue;
      yield batch;
      batch = [];
      bytes = 0;
    }
    if (batch.length > 0) yield batch;
  }

  async first(table: Table, count: number, where?: string): Promise<readonly Row[]> {
    return this.connection
      .prepare(`${selected(table, where)} limit ?`)
      .raw()
      .all(count) as Row[];
  }

  async lastNumber({ name }: Table): Promise<string> {
    const last = this.connection.prepare('select cast(seq as text) from sqlite_sequence where name = ?').pluck();
    return (last.get(name) as string | undefined) ?? '0';
  }

  async tableNames(): Promise<readonly string[]> {
    const names = `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`;
    return this.connection.prepare(names).pluck().all() as string[];
  }

  async close(): Promise<void> {
    this.connection.close();
  }
}

export class SqliteTarget extends SqliteSource implements Target {
  private triggers: readonly { readonly name: string; readonly sql: string }[] = [];

  static override open(file: string): SqliteTarget {
    const connection = new Database(file, { timeout: 5_000 });
    connection.pragma('foreign_keys = on');
    connection.pragma('fullfsync = on');
    return new SqliteTarget(connection);
  }

  async mark(name: string): Promise<void> {
    this.connection
      .prepare('insert into knex_migrations (name, batch, migration_time) values (?, 0, ?)')
      .run(name, Date.now());
  }

  /** SQLite cannot disable triggers. They are created again in the order in which they were, which decides when each fires. */
  async begin(): Promise<void> {
    this.connection.exec('begin immediate');
    this.triggers = this.connection
      .prepare(`select name, sql from sqlite_schema where type = 'trigger' order by rowid`)
      .all() as typeof this.triggers;
    for (const { name } of this.triggers) this.connection.exec(`drop trigger ${quoted(name)}`);
  }

  async clear({ name }: Table): Promise<void> {
    this.connection.exec(`delete from ${quoted(name)}`);
  }

  /** SQLite converts digits to the number that a column of numbers or flags holds. */
  async write({ name, columns }: Table, rows: readonly Row[]): Promise<void> {
    const values = listed(columns, ({ kind }) => (kind === 'bytes' ? 'unhex(?)' : '?'));
    const insert = this.connection.prepare(
      `insert into ${quoted(name)} (${listed(columns, (column) => quoted(column.name))}) values (${values})`,
    );
    for (const row of rows) insert.run(row);
  }

  async setLastNumber({ name }: Table, number: string): Promise<void> {
    this.connection.prepare('delete from sqlite_sequence where name = ?').run(name);
    this.connection.prepare('insert into sqlite_sequence (name, seq) values (?, cast(? as integer))').run(name, number);
  }

  async commit(_tables: readonly Table[], mark: string): Promise<void> {
    for (const { sql } of this.triggers) this.connection.exec(sql);
    this.connection.prepare('delete from knex_migrations where name = ?').run(mark);
    this.connection.exec('commit');
  }
}
