import type { ChangeListener, Clock, Transaction, UnitOfWork } from '../../src/application/index.js';
import { forgetKinds, giveBack, takeBare, takeKnown, type Undoable } from './idle-databases.js';
import { beforeNextFile } from './past-files.js';

type Row = Readonly<Record<string, unknown>>;

for (const forget of beforeNextFile.splice(0)) forget();
// The rows of a kind would be strange to the next file, whose ids begin again.
beforeNextFile.push(forgetKinds);

/** A SQLite database in memory, without rows at first, whose rows a test can look at. */
export class RowsInMemory implements UnitOfWork {
  private opened: Undoable | undefined;
  private closed = false;
  private clock: Clock | undefined;

  /**
   * Begins with what `make` writes, and returns what it returned. For each kind of beginning that happens once, or a few
   * times; other databases begin with the same rows.
   */
  async beginAs<Made>(kind: string, make: (rows: RowsInMemory) => Promise<Made>): Promise<Made> {
    const known = takeKnown(kind);
    if (known !== undefined) {
      this.take(known);
      return known.made as Made;
    }
    const opened = this.take(takeBare());
    const made = await make(this);
    opened.begins(kind, made);
    return made;
  }

  run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.open.database.unitOfWork.run(work);
  }

  read<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.open.database.unitOfWork.read(work);
  }

  /** Temporary access ends by this clock, and not by the system's. */
  follow(clock: Clock): void {
    this.clock = clock;
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
    giveBack(opened);
  }

  private get open(): Undoable {
    if (this.closed) throw new Error('this database was closed');
    return this.opened ?? this.take(takeBare());
  }

  private take(database: Undoable): Undoable {
    this.opened = database;
    const { clock } = database;
    database.clock = () => this.clock?.now() ?? clock();
    return database;
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
