import type { Knex } from 'knex';
import pg from 'pg';
import type { PooledConnection } from './postgres-faults.js';
import { beginSnapshot, type Pooling, prepareConnection } from './postgres-sessions.js';
import type { StatementSender } from './postgres-statements.js';
import type { Present } from './present.js';
import { compiled, OnlyReads, type Query } from './statements.js';

/** The class of the locks by which instances know of each other's snapshots: nothing else in the database takes it. */
const reading = 7_083_243;

const lock = 'select pg_try_advisory_xact_lock($1, hashtext($2)) as taken';

/** The statements of a transaction that sees one moment, on a connection that is not of the pool. */
export class PostgresSnapshot extends OnlyReads {
  private constructor(
    readonly sql: Knex,
    readonly present: Present,
    private readonly connection: PooledConnection,
    private readonly sender: StatementSender,
  ) {
    super();
  }

  /** Undefined if another session has a snapshot with this key. `silence` is in milliseconds. */
  static async open(
    key: string,
    config: pg.ClientConfig,
    { pooling, silence }: { readonly pooling: Pooling; readonly silence: number },
    { sql, present, sender }: { readonly sql: Knex; readonly present: Present; readonly sender: StatementSender },
  ): Promise<PostgresSnapshot | undefined> {
    const connection = new pg.Client(config) as PooledConnection;
    // The statement that waits for the connection reports it.
    connection.on('error', () => undefined);
    const snapshot = new PostgresSnapshot(sql, present, connection, sender);
    try {
      await connection.connect();
      await prepareConnection(connection, { pooling, silence });
      await connection.query(beginSnapshot(silence));
      const { rows } = await connection.query(lock, [reading, key]);
      if (rows[0].taken) return snapshot;
    } catch (error) {
      await snapshot.close();
      throw error;
    }
    await snapshot.close();
    return undefined;
  }

  async all<Row>(query: Query): Promise<Row[]> {
    return (await this.execute(query)).rows as Row[];
  }

  async first<Row>(query: Query): Promise<Row | undefined> {
    return (await this.execute(query)).rows[0] as Row | undefined;
  }

  /** Ends the connection, and with it the transaction and the lock. */
  async close(): Promise<void> {
    await this.connection.end().catch(() => undefined);
  }

  /** Without a name: behind a pooler another client may have prepared it, and the error would end the transaction. */
  private execute(query: Query): Promise<pg.QueryResult> {
    const statement = compiled(query);
    this.sender.report(statement);
    return this.sender.send(this.connection, statement, false);
  }
}
