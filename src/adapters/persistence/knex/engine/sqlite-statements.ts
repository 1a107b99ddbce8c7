import type Database from 'better-sqlite3';
import type { Knex } from 'knex';
import type { Present } from './present.js';
import { compiled, type MapError, type OnStatement, type Query, type Statements } from './statements.js';

const statementsKept = 500;

/**
 * While planning, SQLite looks at the value of a parameter that a column or a limit is compared with, and therefore
 * plans again whenever another value is bound: for a join by id that was nine tenths of the cost. It does not look
 * behind a sign, which changes nothing else.
 */
const planned = (sql: string): string => sql.replaceAll(/( = |\blimit )\?/g, '$1+?');

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

/** The members that are used of a connection to SQLite. */
export interface SqliteConnection {
  readonly exec: (sql: string) => unknown;
  readonly prepare: (sql: string) => Database.Statement;
  readonly inTransaction: boolean;
}

/** Runs prepared statements of one connection, each prepared once: that is most of what a small query costs. */
export class SqliteStatements implements Statements {
  private readonly prepared = new Map<string, Database.Statement>();

  constructor(
    readonly sql: Knex,
    private readonly connection: Pick<SqliteConnection, 'prepare'>,
    readonly present: Present,
    private readonly onStatement: OnStatement | undefined,
  ) {}

  async all<Row>(query: Query): Promise<Row[]> {
    const { statement, values } = this.compile(query);
    return statement.all(values) as Row[];
  }

  async first<Row>(query: Query): Promise<Row | undefined> {
    const { statement, values } = this.compile(query);
    return statement.get(values) as Row | undefined;
  }

  async run(query: Query): Promise<number> {
    const { statement, values } = this.compile(query);
    return statement.run(values).changes;
  }

  async runLater(query: Query, mapError: MapError = (error) => error): Promise<void> {
    const statement = compiled(query);
    // A selection without a reader locks rows, and SQLite has one writer at a time.
    if (statement.sql.startsWith('select')) return;
    try {
      await this.run(statement);
    } catch (error) {
      throw mapError(error);
    }
  }

  private compile(query: Query) {
    const { sql, bindings } = compiled(query);
    this.onStatement?.(sql);
    // SQLite has no booleans to bind.
    const values = bindings.some(isBoolean)
      ? bindings.map((value) => (isBoolean(value) ? Number(value) : value))
      : bindings;
    return { statement: this.prepared.get(sql) ?? this.prepare(sql), values };
  }

  private prepare(sql: string): Database.Statement {
    const statement = this.connection.prepare(planned(sql));
    const [oldest] = this.prepared.keys();
    if (oldest !== undefined && this.prepared.size >= statementsKept) this.prepared.delete(oldest);
    this.prepared.set(sql, statement);
    return statement;
  }
}
