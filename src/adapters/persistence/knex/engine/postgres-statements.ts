import type { Knex } from 'knex';
import type pg from 'pg';
import { onConnection } from './postgres-faults.js';
import { type Compiled, compiled, type OnStatement, type Query, type Statements } from './statements.js';

/** For statements whose texts depend on what is asked: a page of every size has one of its own. */
const namesKept = 300;

/**
 * Names by which connections prepare statements: planning a join costs Postgres more than running it. Statements met
 * once the names are used up go without, and are planned each time; those that recur always have one.
 */
class StatementNames {
  private readonly names = new Map<string, string>();

  of({ sql, recurs = false }: Compiled): string | undefined {
    const known = this.names.get(sql);
    if (known !== undefined || (!recurs && this.names.size >= namesKept)) return known;
    const name = `gatehouse_${this.names.size}`;
    this.names.set(sql, name);
    return name;
  }
}

/** Gives the driver statements as they are: by Knex's own way they take half as long again. */
export class StatementSender {
  private readonly names = new StatementNames();

  constructor(private readonly onStatement: OnStatement | undefined) {}

  send(connection: pg.Client, statement: Compiled): Promise<pg.QueryResult> {
    const { sql: text, bindings } = statement;
    this.onStatement?.(text);
    const name = this.names.of(statement);
    return connection.query({ text, values: [...bindings], ...(name === undefined ? {} : { name }) });
  }
}

/** Reads what is committed, each statement on whatever connection of the pool is free. */
export class PostgresReads implements Statements {
  constructor(
    readonly sql: Knex,
    private readonly pool: Knex,
    private readonly sender: StatementSender,
  ) {}

  async all<Row>(query: Query): Promise<Row[]> {
    return (await this.execute(query)).rows as Row[];
  }

  async first<Row>(query: Query): Promise<Row | undefined> {
    return (await this.execute(query)).rows[0] as Row | undefined;
  }

  async run(query: Query): Promise<number> {
    return (await this.execute(query)).rowCount ?? 0;
  }

  /** Does nothing: what only reads defers nothing but locks, and one would end with its statement. */
  async runLater(): Promise<void> {}

  private execute(query: Query): Promise<pg.QueryResult> {
    return onConnection(this.pool, (connection) => this.sender.send(connection, compiled(query)));
  }
}
