import Database from 'better-sqlite3';
import { type MigratedDatabase, openOnConnection } from '../../src/adapters/persistence/knex/knex-database.js';
import type { ChangeListener, Transaction, UnitOfWork } from '../../src/application/index.js';
import { migratedBytes } from './databases.js';

const template = await migratedBytes();

type Row = Readonly<Record<string, unknown>>;

/** A new SQLite database in memory, whose rows a test can look at. */
export class RowsInMemory implements UnitOfWork {
  private readonly prepared = new Map<string, Database.Statement>();
  private opened: { readonly connection: Database.Database; readonly database: MigratedDatabase } | undefined;

  /** Begins with what another one holds. */
  copy({ connection }: RowsInMemory): void {
    this.open(connection.serialize());
  }

  run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.database.unitOfWork.run(work);
  }

  read<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.database.unitOfWork.read(work);
  }

  /** Calls `listener` with the changes of each commit from now on. */
  hearChanges(hear: ChangeListener): void {
    this.database.onChange({ ordered: () => {}, changed: hear });
  }

  /** Gives back its memory, of which Node's garbage collector knows nothing. */
  close(): void {
    this.opened?.connection.close();
  }

  private open(bytes: Buffer) {
    const connection = new Database(bytes);
    this.prepared.clear();
    this.opened = { connection, database: openOnConnection(connection) };
    return this.opened;
  }

  private get connection(): Database.Database {
    return (this.opened ?? this.open(template)).connection;
  }

  private get database(): MigratedDatabase {
    return (this.opened ?? this.open(template)).database;
  }

  select<Found = Row>(sql: string): readonly Found[] {
    const statement = this.prepared.get(sql) ?? this.connection.prepare(sql);
    this.prepared.set(sql, statement);
    return statement.all() as Found[];
  }

  /** All rows, by table. */
  get tables(): Readonly<Record<string, readonly Row[]>> {
    const names = this.select<{ name: string }>("select name from sqlite_schema where type = 'table' order by name");
    return Object.fromEntries(names.map(({ name }) => [name, this.select(`select * from "${name}"`)]));
  }

  /** All rows as one text, with blobs in Latin-1. */
  get text(): string {
    return JSON.stringify(this.tables, (_, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    );
  }
}
