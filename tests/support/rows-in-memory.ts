import { afterAll } from '@jest/globals';
import Database from 'better-sqlite3';
import { type MigratedDatabase, openOnConnection } from '../../src/adapters/persistence/knex/knex-database.js';
import type { ChangeListener, Transaction, UnitOfWork } from '../../src/application/index.js';
import { migratedBytes } from './databases.js';

const template = await migratedBytes();

type Row = Readonly<Record<string, unknown>>;

/** Connections that wait for the next test. Each takes some megabytes. */
const maxIdle = 100;

/**
 * A database whose transactions are savepoints of one that is never committed. So what a test wrote is undone at once, and
 * the next test finds its statements prepared, which takes longer than all that it does with them.
 */
class Undoable {
  readonly connection = new Database(template);
  readonly database: MigratedDatabase;
  readonly prepared = new Map<string, Database.Statement>();
  private inTransaction = false;

  /** `made` is what is known of the rows that it begins with. */
  constructor(
    public kind: string | undefined = undefined,
    public made: unknown = undefined,
  ) {
    const { connection } = this;
    connection.pragma('foreign_keys = ON');
    connection.exec('begin; savepoint no_rows');
    const isInTransaction = () => this.inTransaction;
    this.database = openOnConnection({
      exec: (sql) => this.exec(sql),
      prepare: connection.prepare.bind(connection),
      get inTransaction() {
        return isInTransaction();
      },
    });
  }

  private exec(sql: string): void {
    const words: Readonly<Record<string, string>> = {
      'begin immediate': 'savepoint work',
      commit: 'release work',
      rollback: 'rollback to work; release work',
    };
    this.connection.exec(words[sql] ?? sql);
    if (sql in words) this.inTransaction = sql === 'begin immediate';
  }

  /** The rows that are there now are those it begins with. */
  begins(kind: string, made: unknown): void {
    this.connection.exec('savepoint first_rows');
    Object.assign(this, { kind, made });
  }

  undo(): void {
    this.connection.exec(`rollback to ${this.kind === undefined ? 'no_rows' : 'first_rows'}`);
  }

  /** Even what it began with. */
  undoAll(): this {
    this.connection.exec('rollback to no_rows');
    return Object.assign(this, { kind: undefined, made: undefined });
  }
}

/** The one that waits longest comes first. */
const idle: Undoable[] = [];

afterAll(() => {
  for (const { connection } of idle.splice(0)) connection.close();
});

function takeIdle(kind: string | undefined): Undoable | undefined {
  const at = idle.findIndex((one) => one.kind === kind);
  return at < 0 ? undefined : idle.splice(at, 1)[0];
}

/** One without rows. */
const bare = (): Undoable =>
  takeIdle(undefined) ?? (idle.length < maxIdle ? undefined : idle.shift()?.undoAll()) ?? new Undoable();

/** A SQLite database in memory, without rows at first, whose rows a test can look at. */
export class RowsInMemory implements UnitOfWork {
  private opened: Undoable | undefined;
  private closed = false;

  /**
   * Begins with what `make` writes, and returns what it returned. For each kind of beginning that happens once, or a few
   * times; other databases begin with the same rows.
   */
  async beginAs<Made>(kind: string, make: (rows: RowsInMemory) => Promise<Made>): Promise<Made> {
    const known = takeIdle(kind);
    if (known !== undefined) {
      this.opened = known;
      return known.made as Made;
    }
    this.opened = bare();
    const made = await make(this);
    this.opened.begins(kind, made);
    return made;
  }

  run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.open.database.unitOfWork.run(work);
  }

  read<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.open.database.unitOfWork.read(work);
  }

  /** Calls `listener` with the changes of each commit from now on. */
  hearChanges(listener: ChangeListener): void {
    this.open.database.onChange({ ordered: () => {}, changed: listener });
  }

  /** Ends its use, and waits until another one may be given its memory, and none of its rows. */
  async close(): Promise<void> {
    const { opened } = this;
    this.closed = true;
    this.opened = undefined;
    if (opened === undefined) return;
    opened.database.onChange({ ordered: () => {}, changed: () => {} });
    // Work that is still under way must not end among the rows of another test.
    await opened.database.close();
    opened.undo();
    idle.push(opened);
  }

  private get open(): Undoable {
    if (this.closed) throw new Error('this database was closed');
    this.opened ??= bare();
    return this.opened;
  }

  select<Found = Row>(sql: string): readonly Found[] {
    const { prepared, connection } = this.open;
    const statement = prepared.get(sql) ?? connection.prepare(sql);
    prepared.set(sql, statement);
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
