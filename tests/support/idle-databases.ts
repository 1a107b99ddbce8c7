import Database from 'better-sqlite3';
import { Present } from '../../src/adapters/persistence/knex/engine/present.js';
import { type MigratedDatabase, openOnConnection } from '../../src/adapters/persistence/knex/knex-database.js';
import { migratedBytes } from './databases.js';

const template = await migratedBytes();

/** Connections that wait for the next test. Each takes some megabytes. */
const maxIdle = 100;

/** The next file finds the statements of these prepared. */
const maxIdleBetweenFiles = 10;

const systemTime = () => new Date().toISOString();

/** The clock of one test, which may begin before that of the last one ended. */
class PresentOfTest extends Present {
  constructor(private readonly ofTest: () => string) {
    super();
  }

  override soFar(): string {
    return this.ofTest();
  }
}

/**
 * A database whose transactions are savepoints of one that is never committed. So what a test wrote is undone at once, and
 * the next test finds its statements prepared, which takes longer than all that it does with them.
 */
export class Undoable {
  readonly connection = new Database(template);
  readonly database: MigratedDatabase;
  /** Decides which grants have ended. */
  clock = systemTime;
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
    this.database = openOnConnection(
      {
        exec: (sql) => this.exec(sql),
        prepare: connection.prepare.bind(connection),
        get inTransaction() {
          return isInTransaction();
        },
      },
      { present: new PresentOfTest(() => this.clock()) },
    );
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
    this.clock = systemTime;
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

function takeIdle(kind: string | undefined): Undoable | undefined {
  const at = idle.findIndex((one) => one.kind === kind);
  return at < 0 ? undefined : idle.splice(at, 1)[0];
}

/** One that begins with the rows of this kind, where there is one. */
export const takeKnown = (kind: string): Undoable | undefined => takeIdle(kind);

/** One without rows. */
export const takeBare = (): Undoable =>
  takeIdle(undefined) ?? (idle.length < maxIdle ? undefined : idle.shift()?.undoAll()) ?? new Undoable();

export function giveBack(database: Undoable): void {
  database.undo();
  idle.push(database);
}

/** Keeps databases without rows alone, and few of them. */
export function forgetKinds(): void {
  for (const { connection } of idle.splice(maxIdleBetweenFiles)) connection.close();
  for (const one of idle) one.undoAll();
}
