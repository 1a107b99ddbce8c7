import type { Socket } from 'node:net';
import type { Knex } from 'knex';
import type pg from 'pg';
import { noFreeConnection, onConnection, type PooledConnection } from './postgres-faults.js';
import { isNameFault, type StatementSender } from './postgres-statements.js';
import type { Present } from './present.js';
import { type Compiled, compiled, OnlyReads, type Query } from './statements.js';

/** How many statements a connection receives at once. The server runs them one after the other. */
const maxTogether = 16;

/** How long the others wait for an answer to the first before they are sent again. In milliseconds. */
const patience = 50;

/** A read until its answer. */
interface Asked {
  readonly statement: Compiled;
  readonly since: number;
  /** Whether the statement may have a name. */
  named: boolean;
  answered: boolean;
  readonly settle: (answer: Promise<pg.QueryResult>) => void;
}

/** The connections that a statement with this text is on. */
interface Use {
  connections: number;
  /** On how many of them it has no answer for longer than others wait for it. */
  blocked: number;
}

export interface ReadsOptions {
  readonly poolSize: number;
  /** How long a read may wait for a connection, in milliseconds. */
  readonly timeout: number;
}

/**
 * Reads what is committed, on connections of the pool. While others wait for answers, the short statements of one turn of the
 * event loop go together on one connection: most of what they cost is packets. Behind one that waits, for a lock, the others are sent again on another
 * connection, and the first answer counts. No text is on more than half of the connections, so that a locked table leaves
 * some for the reads of others.
 */
export class PostgresReads extends OnlyReads {
  readonly batches = true;
  private waiting: Asked[] = [];
  private turn: NodeJS.Immediate | undefined;
  private readonly uses = new Map<string, Use>();
  /** Set once a pooler is found: it may give each statement another session of the server. */
  private pooled = false;
  private readonly half: number;

  constructor(
    readonly sql: Knex,
    readonly present: Present,
    private readonly pool: Knex,
    private readonly sender: StatementSender,
    private readonly options: ReadsOptions,
  ) {
    super();
    this.half = Math.max(1, Math.floor(options.poolSize / 2));
  }

  /** How many wait for a connection, or for their turn. */
  get awaiting(): number {
    return this.waiting.length;
  }

  async all<Row>(query: Query): Promise<Row[]> {
    return (await this.ask(query)).rows as Row[];
  }

  async first<Row>(query: Query): Promise<Row | undefined> {
    return (await this.ask(query)).rows[0] as Row | undefined;
  }

  private ask(query: Query): Promise<pg.QueryResult> {
    const statement = compiled(query);
    this.sender.report(statement);
    return new Promise((resolve) => {
      const asked: Asked = {
        statement,
        since: performance.now(),
        named: true,
        answered: false,
        settle: (answer) => {
          asked.answered = true;
          resolve(answer);
        },
      };
      const waits = statement.short ? this.uses.size > 0 : !this.hasRoom(statement.sql);
      if (waits) this.sendThisTurn(asked);
      else this.send([asked]);
    });
  }

  private hasRoom(sql: string): boolean {
    return (this.uses.get(sql)?.connections ?? 0) < this.half;
  }

  private sendThisTurn(...asked: readonly Asked[]): void {
    this.waiting.push(...asked);
    if (this.waiting.length > 0) this.turn ??= setImmediate(() => this.sendWaiting());
  }

  private sendWaiting(): void {
    this.turn = undefined;
    const { waiting } = this;
    this.waiting = [];
    let together: Asked[] = [];
    const texts = new Set<string>();
    for (const asked of waiting) {
      if (asked.answered) continue;
      const { sql, short } = asked.statement;
      if (!texts.has(sql) && !this.hasRoom(sql)) this.wait(asked);
      else if (!short || this.pooled || this.uses.get(sql)?.blocked) this.send([asked]);
      else {
        texts.add(sql);
        if (together.push(asked) < maxTogether) continue;
        this.send(together);
        together = [];
        texts.clear();
      }
    }
    if (together.length > 0) this.send(together);
  }

  private wait(asked: Asked): void {
    if (performance.now() - asked.since < this.options.timeout) this.waiting.push(asked);
    else asked.settle(Promise.reject(noFreeConnection()));
  }

  private send(together: readonly Asked[]): void {
    const held = new Map(together.map(({ statement: { sql } }) => [sql, this.use(sql)]));
    for (const use of held.values()) use.connections += 1;
    const release = (sql: string, use: Use) => {
      held.delete(sql);
      use.connections -= 1;
      if (use.connections === 0) this.uses.delete(sql);
    };
    let blocked: Use | undefined;
    const sendOthersAgain = () => {
      const [first, ...others] = together.filter(({ answered }) => !answered);
      if (first === undefined) return;
      const { sql } = first.statement;
      blocked = held.get(sql) as Use;
      blocked.blocked += 1;
      for (const [other, use] of held) if (other !== sql) release(other, use);
      this.sendThisTurn(...others);
    };
    onConnection(this.pool, async (connection) => {
      const late = together.length > 1 ? setTimeout(sendOthersAgain, patience) : undefined;
      await this.answer(connection, together);
      clearTimeout(late);
    })
      .catch((error: unknown) => {
        // There was no connection.
        for (const asked of together) if (!asked.answered) asked.settle(Promise.reject(error));
      })
      .finally(() => {
        if (blocked !== undefined) blocked.blocked -= 1;
        for (const [sql, use] of held) release(sql, use);
        this.sendThisTurn();
      });
  }

  private use(sql: string): Use {
    let use = this.uses.get(sql);
    if (use === undefined) {
      use = { connections: 0, blocked: 0 };
      this.uses.set(sql, use);
    }
    return use;
  }

  private async answer(connection: PooledConnection, together: readonly Asked[]): Promise<void> {
    this.pooled ||= connection.pooled === true;
    if (this.pooled) {
      for (const asked of together) await this.answerOne(connection, asked);
      return;
    }
    const stream = connection.connection.stream as Socket;
    stream.cork();
    const answers = together.map((asked) => this.answerOne(connection, asked));
    stream.uncork();
    await Promise.all(answers);
  }

  private async answerOne(connection: PooledConnection, asked: Asked): Promise<void> {
    const answer = this.sender.send(connection, asked.statement, asked.named);
    const error = await answer.then(
      () => undefined,
      (failure: unknown) => failure,
    );
    if (!asked.named || !isNameFault(error)) return asked.settle(answer);
    asked.named = false;
    this.sendThisTurn(asked);
  }
}
