import type { Socket } from 'node:net';
import type { Knex } from 'knex';
import type pg from 'pg';
import { type PooledConnection, refusalOfRead } from './postgres-faults.js';
import { beginOn } from './postgres-sessions.js';
import type { StatementSender } from './postgres-statements.js';
import type { Present } from './present.js';
import { type Compiled, compiled, type MapError, type Query, type Statements } from './statements.js';

interface Later {
  readonly statement: Compiled;
  readonly mapError: MapError;
}

const asItIs: MapError = (error) => error;

const isRead = (statement: Compiled | 'COMMIT'): boolean => statement !== 'COMMIT' && /^select\b/i.test(statement.sql);

const takesLocks = ({ sql }: Compiled): boolean => /\bfor (?:update|share|no key update|key share)\b/i.test(sql);

/**
 * A transaction in as few round trips as its work allows. `begin` goes with the first read, and deferred writes go with
 * the next statement or with `commit`: the connection's pipeline sends them in one flight.
 *
 * For the server, each statement of a flight stands on its own. If `begin` failed, what follows would run outside a
 * transaction, so a write is never sent before `begin` is answered. A statement that fails ends the transaction: the
 * server refuses those behind it and answers `commit` with `ROLLBACK`. The first failure is the cause, and the only one
 * reported.
 */
export class PostgresTransaction implements Statements {
  private begun: Promise<pg.QueryResult> | undefined;
  /** Whether a write has waited for `begin`: what is asked after it waits too, to keep the order. */
  private afterBegin = false;
  private later: Later[] = [];
  private fault: { readonly of: unknown; readonly cause: unknown } | undefined;
  private over = false;

  constructor(
    readonly sql: Knex,
    readonly present: Present,
    private readonly connection: PooledConnection,
    private readonly sender: StatementSender,
    /** Whether its statements may have names. */
    private readonly named: boolean,
  ) {}

  /** The database's first error. */
  get cause(): unknown {
    return this.fault?.cause;
  }

  async all<Row>(query: Query): Promise<Row[]> {
    return (await this.ask(query)).rows as Row[];
  }

  async first<Row>(query: Query): Promise<Row | undefined> {
    return (await this.ask(query)).rows[0] as Row | undefined;
  }

  async run(query: Query): Promise<number> {
    return (await this.ask(query)).rowCount ?? 0;
  }

  async runLater(query: Query, mapError: MapError = asItIs): Promise<void> {
    this.expectOpen();
    this.later.push({ statement: compiled(query), mapError });
  }

  /** Rejects with the error that ended the transaction, even if no statement reported it. */
  async commit(): Promise<void> {
    this.expectOpen();
    this.over = true;
    if (this.begun === undefined && this.later.length === 0) return;
    const { command } = await this.flight('COMMIT');
    if (command !== 'COMMIT') throw new Error(`the database answered ${command} to COMMIT`);
  }

  async rollback(): Promise<void> {
    this.over = true;
    if (this.begun !== undefined) await this.connection.query('ROLLBACK');
  }

  private ask(query: Query): Promise<pg.QueryResult> {
    this.expectOpen();
    return this.flight(compiled(query));
  }

  private expectOpen(): void {
    if (this.over) throw new Error('the transaction is over');
    if (this.fault !== undefined) throw this.fault.of;
  }

  /** Sends the deferred statements with this one, and returns its result. */
  private async flight(statement: Compiled | 'COMMIT'): Promise<pg.QueryResult> {
    const { later } = this;
    this.later = [];
    if (this.afterBegin || !isRead(statement) || !later.every((each) => isRead(each.statement))) {
      this.afterBegin = true;
      this.begun ??= this.send(beginOn(this.connection));
      await this.begun;
    }
    // Statements of the same turn share a packet.
    const stream = this.connection.connection.stream as Socket;
    stream.cork();
    process.nextTick(() => stream.uncork());
    const sent: Promise<pg.QueryResult>[] = [];
    if (this.begun === undefined) {
      this.begun = this.send(beginOn(this.connection));
      sent.push(this.begun);
    }
    for (const each of later) sent.push(this.send(each.statement, each.mapError));
    sent.push(this.send(statement));
    return (await Promise.all(sent)).at(-1) as pg.QueryResult;
  }

  private async send(statement: Compiled | string, mapError = asItIs): Promise<pg.QueryResult> {
    try {
      if (typeof statement === 'string') return await this.connection.query(statement);
      this.sender.report(statement);
      return await this.sender.send(this.connection, statement, this.named);
    } catch (error) {
      const onlyRead = typeof statement !== 'string' && isRead(statement) && !takesLocks(statement);
      this.fault ??= { of: (onlyRead && refusalOfRead(error)) || mapError(error), cause: error };
      throw this.fault.of;
    }
  }
}
