import type { Knex } from 'knex';
import type pg from 'pg';
import { type Compiled, compiled, type OnStatement, type Query, type Statements } from './statements.js';

/** For statements whose texts depend on what is asked: a page of every size has one of its own. */
const namesKept = 300;

/**
 * Names by which connections prepare statements: planning a join costs Postgres more than running it. Statements met
 * once the names are used up go without, and are planned each time; those that recur always have one.
 */
export class StatementNames {
  private readonly names = new Map<string, string>();

  of({ sql, recurs = false }: Compiled): string | undefined {
    const known = this.names.get(sql);
    if (known !== undefined || (!recurs && this.names.size >= namesKept)) return known;
    const name = `gatehouse_${this.names.size}`;
    this.names.set(sql, name);
    return name;
  }
}

/**
 * Runs statements on a pool, or in one transaction. The driver is given them as they are: by Knex's own way they take
 * half as long again.
 */
export class PostgresStatements implements Statements {
  constructor(
    readonly sql: Knex,
    private readonly connection: Knex,
    private readonly names: StatementNames,
    private readonly onStatement: OnStatement | undefined,
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

  private async execute(query: Query): Promise<pg.QueryResult> {
    const statement = compiled(query);
    const { sql: text, bindings } = statement;
    this.onStatement?.(text);
    const name = this.names.of(statement);
    const { client } = this.connection;
    const connection: pg.Client = await client.acquireConnection();
    try {
      return await connection.query({ text, values: [...bindings], ...(name === undefined ? {} : { name }) });
    } finally {
      await client.releaseConnection(connection);
    }
  }
}
